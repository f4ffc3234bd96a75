import type { SmsClient } from '../sms/client.ts';
import type { Outcome } from '../sms/request-outcome-types.ts';
import type { Metrics } from './metrics.ts';

/** The same client, which also reports the duration and the outcome of each request. */
export function watchSms(sms: SmsClient, { serviceCalled }: Pick<Metrics, 'serviceCalled'>): SmsClient {
  async function timed<T>(endpoint: string, call: Promise<Outcome<T>>): Promise<Outcome<T>> {
    const begun = performance.now();
    const result = await call;
    serviceCalled({ endpoint, outcome: result.outcome, seconds: (performance.now() - begun) / 1000 });
    return result;
  }

  return {
    balance: (key, limits) => timed('balance', sms.balance(key, limits)),
    send: (key, message, limits) => timed('send', sms.send(key, message, limits)),
    sendBulk: (key, messages, limits) => timed('send_bulk', sms.sendBulk(key, messages, limits)),
    close: () => sms.close(),
  };
}
