import { ApiKey } from '../../src/sms/api-key.ts';

/** The tests' API key. Nothing else in a test may contain this text. */
export const SECRET = 'sk-live-0123456789/abcdefA1b2';

export const key = () => ApiKey.from(SECRET);

export const message = { phone: '+442079460958', message: 'Hello' };

export const balanceBody = { success: true, data: { credits: 120, user_id: 7, user_name: 'Acme' } };

/** The parts of the answer to a single send that the client reads. */
export const sendData = { message_id: 51, status: 'sent', credits_used: 1, credits_remaining: 119 };

export const sendBody = { success: true, data: { ...sendData, sent_at: '2026-01-02T03:04:05Z' } };

export const bulkBody = {
  success: true,
  data: {
    messages_sent: 2,
    credits_used: 2,
    credits_remaining: 118,
    messages: [
      { message_id: 51, phone: '442079460958', status: 'sent' },
      { message_id: 52, phone: '442079460959', status: 'sent' },
    ],
  },
};

/** The service's error object. */
export function errorBody(code: string, text: string, more: Record<string, unknown> = {}) {
  return { success: false, error: { code, message: text, ...more } };
}

/** A whole HTTP answer, byte by byte. */
export function wire(status: number, body: unknown, headers: Record<string, string> = {}): string {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const lines = Object.entries({ 'content-length': `${Buffer.byteLength(text)}`, ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} Whatever\r\n${head}\r\n${text}`;
}
