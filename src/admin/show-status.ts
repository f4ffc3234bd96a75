import { Evidence } from '../core/sends/outcome.ts';
import { SendDetails } from '../core/sends/send-details.ts';
import { formatNumber, maskNumber } from '../core/texts/phone-format.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Instance } from '../records/schema.ts';
import { say } from './say.ts';
import type { Tools } from './tools.ts';

/** `status`: instances, their keys and balances, links, open and unknown sends. */
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
  say(`linked channels: ${linked} · unknown sends: ${unknowns.length}`);
}

async function describeInstance(instance: Instance, channels: number, ledger: Ledger): Promise<string> {
  const account = await ledger.account(instance.accountId);
  const open = await ledger.openSends(instance.id);
  const key =
    instance.keyRefusedAt === undefined
      ? `last good check ${when(instance.lastGoodCheckAt)}`
      : `REFUSED since ${when(instance.keyRefusedAt)}`;
  const credits = account ? `${account.credits} credits at ${when(account.asOf)}` : 'balance not read yet';
  const parts = [`"${instance.name}" ${instance.keyHint}`, key, `${instance.userName}: ${credits}`];
  return [...parts, `channels: ${channels}`, `open sends: ${open.length}`].join(' · ');
}

/** `list-unknown`: every unknown send, with what the balance shows. */
export async function listUnknown({ team, ledger }: Tools): Promise<void> {
  const unknowns = await ledger.unknowns(await team());
  for (const { send, chunk } of unknowns) {
    const details = SendDetails.safeParse(send.details).data;
    const to = details ? maskNumber(formatNumber(details.e164)) : `${chunk.messages.length} messages`;
    const evidence = Evidence.safeParse(chunk.evidence).data;
    const verdict = evidence ? evidence.verdict.replaceAll('_', ' ') : 'no evidence yet';
    const again = chunk.resentAs === undefined ? [] : [`sent again by a person as ${chunk.resentAs}`];
    const parts = [
      send.id,
      when(chunk.settledAt ?? send.createdAt),
      `channel ${send.channelId}`,
      `to ${to}`,
      verdict,
    ];
    say([...parts, ...again].join(' · '));
  }
  say(
    unknowns.length === 0
      ? 'No send is unknown.'
      : `${unknowns.length} unknown. Switchboard never sends them again by itself.`,
  );
}

function when(ms: number): string {
  return new Date(ms).toISOString();
}
