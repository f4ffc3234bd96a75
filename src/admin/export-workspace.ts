import type { Tools } from './commands.ts';
import { say } from './say.ts';

/** `export --team …`: all that is kept of a workspace, as lines of JSON, without sealed keys and tokens. */
export async function exportWorkspace({ team, ledger, records }: Tools): Promise<void> {
  const id = await team();
  const line = (kind: string, value: unknown) => say(JSON.stringify({ kind, value }));
  line('workspace', await records.workspaces.get(id));
  for (const link of await records.links.list(id)) line('link', link);
  for (const {
    sealedKey: _sealed,
    keyFingerprint: _fingerprint,
    ...instance
  } of await records.instances.list(id)) {
    line('instance', instance);
  }
  const choice = await records.retention.get(id);
  if (choice) line('retention', choice);
  for await (const document of ledger.exportTeam(id)) say(JSON.stringify(document));
}
