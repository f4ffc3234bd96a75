import { expect, test } from 'vitest';
import { fieldsIn } from '../../src/sms/fields-in.ts';

test.each([
  ['a record', { details: { phone: 'bad' } }, ['phone']],
  ['a nested record', { fields: { messages: [{ phone: 'bad' }] } }, ['messages.phone']],
  ['a list of records', { errors: [{ param: 'phone', msg: 'bad' }] }, ['phone']],
  ['a list of texts, which names none', { errors: ['bad'] }, []],
  ['nothing to read', { request_id: 'x', count: 3, details: null, flags: { a: 1, b: true } }, []],
])('%s', (_name, error, fields) => expect(fieldsIn(error)).toEqual(fields));

test('is bounded in number and depth', () => {
  expect(fieldsIn({ errors: { phone: Array.from({ length: 1000 }, () => 'bad') } })).toHaveLength(200);
  let deep: unknown = 'bad';
  for (let level = 0; level < 1000; level += 1) deep = { deeper: deep };
  expect(fieldsIn({ details: deep })).toEqual([]);
});
