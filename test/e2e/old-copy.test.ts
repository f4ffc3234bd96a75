import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { backup, DatabaseSync } from 'node:sqlite';
import { textOf } from 'slack-playground';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createWorld, type World } from '../helpers/world.ts';
import { arrivalsAt, draft, link, press, receiptOf } from '../helpers/world-steps.ts';

describe('a draft from before a start', () => {
  let world: World;
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'switchboard-copy-'));
    world = await createWorld();
    await world.start();
    await link(world);
  });
  afterAll(async () => {
    await world.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('goes out after an ordinary restart, and nothing else is said', async () => {
    const { slack } = world;
    const preview = await draft(world, '+442079460842 Later');
    await world.stop();
    await world.start();
    const before = slack.ephemerals(preview.to).length;
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toContain('*Sent*');
    expect(slack.ephemerals(preview.to)).toHaveLength(before);
    expect(arrivalsAt(world, '442079460842')).toHaveLength(1);
  });

  it('is not sent again from an old copy of the database, and says why', async () => {
    const { slack, service } = world;
    const file = join(world.dataDir, 'switchboard.db');
    const copy = join(folder, 'copy.db');
    const preview = await draft(world, '+442079460841 Once');
    const db = new DatabaseSync(file, { readOnly: true, timeout: 10_000 });
    await backup(db, copy);
    db.close();
    await press(world, preview, 'Send');
    expect(await receiptOf(world, preview)).toContain('*Sent*');
    await world.stop();
    for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { force: true });
    copyFileSync(copy, file);
    // The start's own look at the balance is slower than the click.
    service.addFault({ kind: 'delay', endpoint: 'balance', ms: 500, when: 'before', times: 'always' });
    await world.start();
    // As in a window of Slack that still shows the preview.
    await slack.click({ user: preview.to, message: preview, text: 'Send', forged: true });
    const said = await slack.waitFor(() =>
      slack
        .ephemerals(preview.to)
        .map(textOf)
        .find((text) => text.includes('*Expired*')),
    );
    expect(said).toMatch(
      /Switchboard may run on an old copy of its data\.\nNothing was sent to \+44 20 7946 0841.* just now\./,
    );
    expect(said).toContain('Check what arrived before you send it again');
    expect(arrivalsAt(world, '442079460841')).toHaveLength(1);
  });
});
