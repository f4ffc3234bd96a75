import { openOptOut } from '../core/opt-outs/sealed-opt-outs.ts';
import type { OptOutRecord } from '../ledger/opt-outs/opt-out-documents.ts';
import { AdminError, say } from './terminal.ts';
import type { Tools } from './tools.ts';

/** An id as Slack makes them. Any other word could be the name of something that workspaces share. */
const WORKSPACE_ID = /^[TE][A-Z0-9]+$/;

/**
 * `export --team …`: writes a workspace's data as lines of JSON, without keys and tokens, not even sealed ones. The
 * workspace may have removed the bot.
 */
export async function exportWorkspace({ options, team, ledger, records, cipher }: Tools): Promise<void> {
  const { team: chosen = '' } = options;
  const id = WORKSPACE_ID.test(chosen) ? chosen : await team();
  let isKnown = false;
  function line(kind: string, value: unknown, name?: string): void {
    isKnown = true;
    say(JSON.stringify({ kind, id: name, value }));
  }
  for (const workspace of await records.workspaces.getMany([id])) line('workspace', workspace);
  for (const link of await records.links.list(id)) line('link', link);
  const instances = await records.instances.list(id);
  for (const { sealedKey: _sealed, keyFingerprint: _fingerprint, ...instance } of instances) {
    line('instance', instance);
  }
  for (const choice of await records.retention.getMany([id])) line('retention', choice);
  for (const rules of await records.workspaceRules.getMany([id])) line('rules', rules);
  const accounts = [...new Set(instances.map(({ accountId }) => accountId))];
  /** By hash, why an opt-out does not open. */
  const damaged = new Map<string, string>();
  const opened = (record: OptOutRecord) =>
    openOptOut(cipher, record, ({ message }) => damaged.set(record.hash, message));
  for await (const { kind, id: name, value } of ledger.exportTeam(id, accounts)) {
    line(kind, kind === 'opt-outs' ? opened(value as OptOutRecord) : value, name);
  }
  // Throws an error that lists the known ids.
  if (!isKnown) await team();
  if (damaged.size === 0) return;
  throw new AdminError(
    [
      ...damaged.values(),
      `Opt-outs that were exported without a part that can’t be read: ${damaged.size}.`,
    ].join('\n'),
  );
}
