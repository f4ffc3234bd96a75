import { createSandbox, type Sandbox } from 'credit-sandbox';
import { API_KEY } from './core.ts';

/** The service with enough credits and 60 requests a window. Answers to bulk requests take `latencyMs`. */
export async function startService(windowMs: number, latencyMs: number): Promise<Sandbox> {
  const service = await createSandbox({
    seed: {
      accounts: [{ user_id: 1, user_name: 'Acme Ltd', credits: 1_000_000_000 }],
      instances: [{ name: 'Acme', key: API_KEY, user_id: 1 }],
    },
    switches: { rateWindowMs: windowMs },
  });
  service.addFault({ kind: 'delay', endpoint: 'bulk', ms: latencyMs, times: 'always' });
  return service;
}
