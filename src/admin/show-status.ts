import { type KeyTrouble, keyTroubleOf } from '../core/accounts/key-trouble.ts';
import { messagesIn } from '../core/jobs/read-job.ts';
import { Evidence } from '../core/sends/chunk-result.ts';
import { SendDetails } from '../core/sends/send-details.ts';
import { formatNumber, maskNumber } from '../core/texts/phone-format.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Instance } from '../records/schema.ts';
import { likelyOf } from '../slack/ui/outcome-words.ts';
import { oneLine } from '../slack/ui/safe-text.ts';
import { say } from './terminal.ts';
import type { Tools } from './tools.ts';

/** `status`: instances, their keys and balances, links, open sends and unknown messages. */
export async function status({ team, records, ledger }: Tools): Promise<void> {
  const workspace = await team();
  const links = await records.links.list(workspace);
  const unknowns = await ledger.unknowns(workspace);
  let linked = 0;
  for (const instance of await records.instances.list(workspace)) {
    const channels = links.filter((link) => link.instanceId === instance.id).length;
    linked += channels;
    say(await describeInstance(instance, channels, ledger));
  }
  say(`linked channels: ${linked} · unknown messages: ${messagesIn(unknowns.map(({ chunk }) => chunk))}`);
}

const TROUBLES: { [trouble in KeyTrouble]: string } = {
  key_refused: 'REFUSED',
  other_account: 'OTHER ACCOUNT',
};

async function describeInstance(instance: Instance, channels: number, ledger: Ledger): Promise<string> {
  const account = await ledger.account(instance.accountId);
  const open = await ledger.openSends(instance.id);
  const { lastGoodCheckAt, keyRefusedAt = 0 } = instance;
  const trouble = keyTroubleOf(instance);
  const key = trouble
    ? `${TROUBLES[trouble]} since ${when(keyRefusedAt)}`
    : `last good check ${when(lastGoodCheckAt)}`;
  const credits = account
    ? `${account.credits} credits at ${when(account.asOf)}`
    : 'no balance in the books yet';
  const [name, userName] = [instance.name, instance.userName].map((each) => oneLine(each));
  return `"${name}" ${instance.keyHint} · ${key} · ${userName}: ${credits} · channels: ${channels} · open sends: ${open.length}`;
}

/** `list-unknown`: each request whose messages need a person's decision, with what the balance shows. */
export async function listUnknown({ team, ledger }: Tools): Promise<void> {
  const unknowns = await ledger.unknowns(await team());
  for (const { send, chunk } of unknowns) {
    const details = SendDetails.safeParse(send.details).data;
    const to = details ? maskNumber(formatNumber(details.e164)) : `${chunk.messages.length} messages`;
    const evidence = Evidence.safeParse(chunk.evidence).data;
    const shows = evidence
      ? (likelyOf({ evidence })?.outcome ?? 'the balance can’t tell')
      : 'no evidence yet';
    const at = when(chunk.settledAt ?? send.createdAt);
    say(`${send.id} · ${at} · channel ${send.channelId} · to ${to} · ${shows}`);
  }
  const count = messagesIn(unknowns.map(({ chunk }) => chunk));
  say(
    count === 0
      ? 'No message is unknown.'
      : `Unknown messages: ${count}. Switchboard never sends them again by itself. People decide in Slack.`,
  );
}

function when(ms: number): string {
  return new Date(ms).toISOString();
}
