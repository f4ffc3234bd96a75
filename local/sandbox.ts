// The bot loads this file if SMS_BASE_URL is `sandbox`.
export { createSandbox } from 'credit-sandbox';
