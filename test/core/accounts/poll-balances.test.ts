import { expect, test } from 'vitest';
import { createPoll } from '../../../src/core/accounts/poll-balances.ts';
import { ACME_KEY_TOO, addInstance, boot, createBooks, createCoreWorld } from '../../helpers/core-world.ts';

test('a round asks an account’s next key if one gives no figure, and each refused key', async () => {
  const world = await createCoreWorld();
  const booted = await boot(world);
  const books = createBooks(booted);
  await addInstance(books);
  await addInstance(books, ACME_KEY_TOO, 'Acme too');
  const asked: string[] = [];
  const silent = new Set<string>();
  const { ledger, records, log } = booted;
  const round = createPoll({
    ledger,
    instances: records.instances,
    credit: {
      async read({ id }) {
        asked.push(id);
        return silent.has(id) ? { kind: 'unavailable' } : ({ kind: 'ok' } as never);
      },
    },
    everyMs: 1000,
    log,
  });
  const askedInARound = async () => {
    asked.length = 0;
    world.time.advance(1000);
    await round(new AbortController().signal);
    return [...asked];
  };

  const [first = ''] = await askedInARound();
  expect(asked).toEqual([first]);
  silent.add(first);
  const [, next] = await askedInARound();
  expect(asked).toEqual([first, next]);
  const instance = await books.instances.get('T1', first);
  if (instance) await books.instances.noteKeyHealth(instance, false);
  expect(await askedInARound()).toEqual([next, first]);
});
