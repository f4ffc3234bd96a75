import { type Playground, textOf } from 'slack-playground';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPlayground, webClientOf } from '../../../packages/slack-playground/test/helpers/slack-bot.ts';
import { balancePicture } from '../../../src/slack/files/statement-files.ts';
import { createUpload } from '../../../src/slack/files/upload-file.ts';
import { filesOf } from '../../helpers/bulk-steps.ts';

let slack: Playground;
let upload: ReturnType<typeof createUpload>;

beforeEach(async () => {
  slack = await startPlayground();
  upload = createUpload(webClientOf(slack));
});
afterEach(() => slack.close());

// A file's bytes may be a part of a larger buffer.
const bytes = Buffer.from('--row,phone\n2,+442079460958\n--').subarray(2, -2);
const file = { name: 'results.csv', bytes, comment: 'The results &amp; more' };
const arrived = () => filesOf({ slack }, slack.people.member);

test('a file arrives in the person’s direct messages, whole, with its words', async () => {
  const { id } = slack.people.member;
  await upload(id, file);
  expect(arrived()).toEqual([{ name: 'results.csv', text: bytes.toString() }]);
  const message = slack.history(slack.directMessage(id).id).at(-1);
  expect(message && textOf(message)).toContain('The results');
});

test.each([
  ['conversations.open', { kind: 'refused', error: 'user_disabled' }],
  ['files.getUploadURLExternal', { kind: 'refused', error: 'missing_scope' }],
  ['upload_url', { kind: 'refused', error: 'upload_failed' }],
  ['upload_url', { kind: 'lost_answer' }],
  ['files.completeUploadExternal', { kind: 'server_error' }],
] as const)('where %s fails with %j nothing arrives, and another try may', async (method, fault) => {
  slack.fault({ method, fault });
  await expect(upload(slack.people.member.id, file)).rejects.toThrow();
  expect(arrived()).toEqual([]);
  await upload(slack.people.member.id, file);
  expect(arrived()).toHaveLength(1);
});

test('a picture says in words what it shows, as far as Slack takes that', async () => {
  const day = { used: 1_234_567, toppedUp: 0, closing: 123_456_789 };
  const daily = Array.from({ length: 366 }, (_, i) => ({ ...day, day: 20_000 + i }));
  const statement = { opening: 987_654_321, daily };
  const { member } = slack.people;
  await upload(
    member.id,
    await balancePicture(statement, { threshold: 111_111_111, comment: 'The balance' }),
  );
  const [picture] = slack.history(slack.directMessage(member.id).id).at(-1)?.files ?? [];
  expect(picture?.alt_txt).toMatch(/^Balance over time\nStart: Balance 987,654,321, Threshold 111,111,111\n/);
});

test('says how long Slack asks to wait', async () => {
  slack.fault({ method: 'upload_url', fault: { kind: 'rate_limited', retryAfter: 7 } });
  await expect(upload(slack.people.member.id, file)).rejects.toMatchObject({ waitMs: 7000 });
});
