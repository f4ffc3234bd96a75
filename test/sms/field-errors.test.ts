import { expect, test } from 'vitest';
import { readFieldErrors } from '../../src/sms/field-errors.ts';

test.each([
  ['a record', { details: { phone: 'bad' } }, [{ field: 'phone', message: 'bad' }]],
  [
    'a nested record',
    { fields: { messages: [{ phone: 'bad' }] } },
    [{ field: 'messages.phone', message: 'bad' }],
  ],
  ['a list of records', { errors: [{ param: 'phone', msg: 'bad' }] }, [{ field: 'phone', message: 'bad' }]],
  ['a list of texts', { errors: ['bad'] }, [{ message: 'bad' }]],
  ['nothing to read', { request_id: 'x', count: 3, details: null, flags: { a: 1, b: true } }, []],
])('%s', (_name, error, fields) => expect(readFieldErrors(error)).toEqual(fields));

test('is bounded in number and depth', () => {
  expect(readFieldErrors({ errors: Array.from({ length: 1000 }, () => 'bad') })).toHaveLength(200);
  let deep: unknown = 'bad';
  for (let level = 0; level < 1000; level += 1) deep = { deeper: deep };
  expect(readFieldErrors({ details: deep })).toEqual([]);
});
