// What the product is given of the service's imitation where SMS_BASE_URL is `sandbox`.
export { createSandbox } from 'credit-sandbox';
