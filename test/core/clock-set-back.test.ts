import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { jobIn, startedJob } from '../helpers/core-jobs.ts';
import { confirmed, ended, eventually } from '../helpers/core-sends.ts';
import { ACME_KEY_TOO, addInstance, createCoreWorld, type Run, runLinked } from '../helpers/core-world.ts';

/** Somebody sets the machine's clock back while the bot runs. Nothing waits for the old time to come again. */

const TEN_MINUTES_MS = 600_000;
const now = Date.now;
const OPTIONS = { bulk: { chunkSize: 2, minRecipients: 2 } };
const FILE = { kind: 'file', name: 'list.csv' } as const;

let running: Run;
beforeEach(async () => {
  const world = await createCoreWorld({
    limits: { permits: 1000, leaseMs: 12_000, timeoutMs: 5000 },
    sandbox: { switches: { rateLimit: 1000 } },
  });
  world.service.addFault({ kind: 'delay', endpoint: 'bulk', ms: 20, when: 'before', times: 'always' });
  running = await runLinked(world, OPTIONS);
});
afterEach(() => void vi.restoreAllMocks());

function setBack(): void {
  vi.spyOn(Date, 'now').mockImplementation(() => now() - TEN_MINUTES_MS);
}

test('a job goes on, and so do texts', async () => {
  const { core } = running;
  const { id } = await startedJob(core, { count: 200 });
  await eventually(async () => expect((await core.jobs.view(id))?.counts.sent).toBeGreaterThan(10));
  setBack();
  await jobIn(core, id, 'finished');
  expect((await ended(core, (await confirmed(core)).id)).outcome).toBe('sent');
});

test('a file is checked, and an instance added', async () => {
  const { core } = running;
  setBack();
  const bytes = Buffer.from('phone\n+447700900001\n+447700900002\n');
  const { id } = await startedJob(core, { source: { ...FILE, bytes }, template: 'Hello' });
  await jobIn(core, id, 'finished');
  expect((await addInstance(core, ACME_KEY_TOO, 'Acme too')).name).toBe('Acme too');
});
