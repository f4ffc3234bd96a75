import { openOptOut } from '../core/opt-outs/sealed-opt-outs.ts';
import type { OptOutRecord } from '../ledger/opt-outs/opt-out-types.ts';
import { EncryptionError } from '../records/encryption.ts';
import { AdminError } from './error.ts';
import { say } from './say.ts';
import type { Tools } from './tools.ts';

/** `export --team …`: writes all that is kept of a workspace as lines of JSON, without keys and tokens, sealed or not. */
export async function exportWorkspace({ team, ledger, records, cipher }: Tools): Promise<void> {
  const id = await team();
  const line = (kind: string, value: unknown) => say(JSON.stringify({ kind, value }));
  line('workspace', await records.workspaces.get(id));
  for (const link of await records.links.list(id)) line('link', link);
  const instances = await records.instances.list(id);
  for (const { sealedKey: _sealed, keyFingerprint: _fingerprint, ...instance } of instances) {
    line('instance', instance);
  }
  const choice = await records.retention.get(id);
  if (choice) line('retention', choice);
  const rules = await records.workspaceRules.get(id);
  if (rules) line('rules', rules);
  const accounts = [...new Set(instances.map(({ accountId }) => accountId))];
  const unopened: string[] = [];
  function opened(record: OptOutRecord): unknown {
    try {
      return openOptOut(cipher, record);
    } catch (error) {
      if (!(error instanceof EncryptionError)) throw error;
      unopened.push(error.message);
      // Without what is sealed.
      const { sealed: _number, changes, ...rest } = record;
      return { ...rest, changes: changes.map(({ sealedReason: _words, ...change }) => change) };
    }
  }
  for await (const { kind, id: name, value } of ledger.exportTeam(id, accounts)) {
    const shown = kind === 'opt-outs' ? opened(value as OptOutRecord) : value;
    say(JSON.stringify({ kind, id: name, value: shown }));
  }
  if (unopened.length === 0) return;
  throw new AdminError(
    [...unopened, `Opt-outs that were written without number and reasons: ${unopened.length}.`].join('\n'),
  );
}
