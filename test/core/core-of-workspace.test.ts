import { expect, test } from 'vitest';
import type { Core } from '../../src/core/core.ts';
import { coreOfWorkspace } from '../../src/core/core-of-workspace.ts';
import { aJob, draftedJob } from '../helpers/core-jobs.ts';
import { ANA, aRequest } from '../helpers/core-people.ts';
import { drafted } from '../helpers/core-sends.ts';
import { createCoreWorld, runLinked } from '../helpers/core-world.ts';

/** Nothing can be had, and nothing was done. */
const NOTHING = [undefined, 'missing', 'not_linked'];

/**
 * Everything that somebody of T2, with the same user id, can ask of what T1 has. A new method has to come in here;
 * `null` is for those that take no id: what they take was handed out by one of the others.
 */
function cases(core: Core, ids: { send: string; job: string; instance: string }) {
  const person = { ...ANA, team: 'T2', isAdmin: true };
  const { sends, jobs, instances, links } = core;
  const of: { [part in 'sends' | 'jobs' | 'instances' | 'links']: unknown } & {
    sends: { [method in keyof Core['sends']]: (() => Promise<unknown>) | null };
    jobs: { [method in keyof Core['jobs']]: (() => Promise<unknown>) | null };
    instances: { [method in keyof Core['instances']]: (() => Promise<unknown>) | null };
    links: { [method in keyof Core['links']]: (() => Promise<unknown>) | null };
  } = {
    sends: {
      draft: () => sends.draft(aRequest({ person, resends: { send: ids.send, indexes: [0] } })),
      confirm: () => sends.confirm(ids.send, person, null),
      withdraw: () => sends.withdraw(ids.send, person, 'cancelled'),
      view: () => sends.view(ids.send),
      saySent: () => sends.saySent(ids.send, person),
    },
    jobs: {
      draft: () => jobs.draft(aJob({ person })),
      preview: () => jobs.preview(ids.job),
      confirm: () => jobs.confirm(ids.job, person, null),
      withdraw: () => jobs.withdraw(ids.job, person, 'cancelled'),
      view: () => jobs.view(ids.job),
      pause: () => jobs.pause(ids.job, person),
      resume: () => jobs.resume(ids.job, person),
      stop: () => jobs.stop(ids.job, person),
      open: async () => (await jobs.open('T2', 'C-sales'))[0],
      draftResend: () => jobs.draftResend(ids.job, person, null),
      saySent: () => jobs.saySent(ids.job, person),
      rejected: () => jobs.rejected(ids.job),
      resultsCsv: () => jobs.resultsCsv(ids.job),
    },
    instances: {
      get: () => instances.get('T2', ids.instance),
      list: async () => (await instances.list('T2'))[0],
      // For what the bot does by itself.
      add: null,
      replaceKey: null,
      remove: null,
    },
    links: {
      find: () => links.find('T2', 'C-sales'),
      list: async () => (await links.list('T2'))[0],
      ofInstance: null,
      save: null,
      remove: null,
      removeWhenDone: null,
      removeDone: null,
    },
  };
  return Object.entries(of).flatMap(([part, methods]) =>
    Object.entries(methods as { [method: string]: (() => Promise<unknown>) | null }).flatMap(
      ([method, ask]) => (ask ? [{ name: `${part}.${method}`, ask }] : []),
    ),
  );
}

test('core gives nothing of one workspace to another, whatever id is asked for', async () => {
  const { core, instance, ledger } = await runLinked(await createCoreWorld());
  const send = await drafted(core);
  const job = await draftedJob(core);
  // On its way out: that is nobody's business either.
  const { link } = (await core.links.find('T1', 'C-sales')) ?? {};
  if (link) await core.links.removeWhenDone(link, ANA.id);
  const ids = { send: send.id, job: job.id, instance: instance.id };
  const before = [await ledger.find(send.id), await ledger.find(job.id)];
  for (const { name, ask } of cases(coreOfWorkspace(core, 'T2'), ids)) {
    const answer = (await ask()) as { kind?: string } | undefined;
    expect(NOTHING, `${name}: ${JSON.stringify(answer)}`).toContain(answer?.kind ?? answer);
  }
  expect([await ledger.find(send.id), await ledger.find(job.id)]).toEqual(before);
  expect(await coreOfWorkspace(core, 'T2').unknownSends('T2')).toEqual([]);

  const own = coreOfWorkspace(core, 'T1');
  expect(await own.sends.view(send.id)).toEqual(send);
  expect(await own.jobs.preview(job.id)).toMatchObject({ view: { id: job.id } });
  expect(await own.jobs.rejected(job.id)).toEqual([]);
  expect(await own.teamOf(job.id)).toBe('T1');
});
