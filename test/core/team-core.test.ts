import { expect, test } from 'vitest';
import type { TeamCore } from '../../src/core/team-core.ts';
import { ApiKey } from '../../src/sms/api-key.ts';
import { aJob, draftedJob } from '../helpers/core-jobs.ts';
import { ANA, aRequest } from '../helpers/core-people.ts';
import { drafted } from '../helpers/core-sends.ts';
import { ACME_KEY, createCoreWorld, runLinked } from '../helpers/core-world.ts';

/** Answers that hand out nothing and say that nothing was done. */
const NOTHING = [undefined, 'missing', 'not_linked'];

/**
 * Everything that a person of T2 with the same user id can ask about T1's things. Each new method needs an entry here.
 * A method that takes no id has `null`: it takes a thing that another method handed out.
 */
function cases(core: TeamCore, ids: { send: string; job: string; request: string; instance: string }) {
  const person = { ...ANA, team: 'T2', isAdmin: true };
  const { sends, jobs, approvals, instances, links } = core;
  const of: { [part in 'sends' | 'jobs' | 'approvals' | 'instances' | 'links']: unknown } & {
    sends: { [method in keyof TeamCore['sends']]: (() => Promise<unknown>) | null };
    jobs: { [method in keyof TeamCore['jobs']]: (() => Promise<unknown>) | null };
    approvals: { [method in keyof TeamCore['approvals']]: (() => Promise<unknown>) | null };
    instances: { [method in keyof TeamCore['instances']]: (() => Promise<unknown>) | null };
    links: { [method in keyof TeamCore['links']]: (() => Promise<unknown>) | null };
  } = {
    sends: {
      draft: () => sends.draft(aRequest({ person, resends: { send: ids.send, indexes: [0] } })),
      confirm: () => sends.confirm(ids.send, person, null),
      withdraw: () => sends.withdraw(ids.send, person),
      supersede: () => sends.supersede(ids.send, person),
      undo: () => sends.undo(ids.send, person),
      view: () => sends.view(ids.send),
      saySent: () => sends.saySent(ids.send, person),
      leaveUnknown: () => sends.leaveUnknown(ids.send, person),
    },
    jobs: {
      draft: () => jobs.draft(aJob({ person })),
      preview: () => jobs.preview(ids.job),
      confirm: () => jobs.confirm(ids.job, person, null),
      withdraw: () => jobs.withdraw(ids.job, person),
      supersede: () => jobs.supersede(ids.job, person),
      undo: () => jobs.undo(ids.job, person),
      view: () => jobs.view(ids.job),
      pause: () => jobs.pause(ids.job, person),
      resume: () => jobs.resume(ids.job, person),
      stop: () => jobs.stop(ids.job, person),
      open: async () => (await jobs.open('C-sales'))[0],
      draftResend: () => jobs.draftResend(ids.job, person, null),
      saySent: () => jobs.saySent(ids.job, person),
      leaveUnknown: () => jobs.leaveUnknown(ids.job, person),
      rejected: () => jobs.rejected(ids.job),
      results: () => jobs.results(ids.job),
    },
    approvals: {
      view: () => approvals.view(ids.send),
      waiting: async () => (await approvals.waiting())[0],
      ask: () => approvals.ask(ids.send, person, null),
      approve: () => approvals.approve(ids.request, person, async () => person),
      decline: () => approvals.decline(ids.request, person, 'No'),
      sendBack: () => approvals.sendBack(ids.request, 'No'),
      readers: null,
    },
    instances: {
      get: () => instances.get(ids.instance),
      list: async () => (await instances.list())[0],
      add: null,
      replaceKey: null,
      remove: null,
    },
    links: {
      find: () => links.find('C-sales'),
      isDamaged: null,
      list: async () => (await links.list())[0],
      ofInstance: null,
      save: null,
      saveSettings: null,
      saveLimits: null,
      budgets: null,
      remove: null,
      announceLinked: null,
      removeWhenDone: null,
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
  const request = await drafted(core);
  await core.approvals.ask(request.id, ANA, null);
  // The link is being removed: T2 must not see this either.
  const { link } = (await core.links.find('T1', 'C-sales')) ?? {};
  if (link) await core.links.removeWhenDone(link, ANA.id);
  const ids = { send: send.id, job: job.id, request: request.id, instance: instance.id };
  const standing = () => Promise.all([send, job, request].map(({ id }) => ledger.find(id)));
  const before = await standing();
  for (const { name, ask } of cases(core.forTeam('T2'), ids)) {
    const answer = (await ask()) as { kind?: string } | undefined;
    expect(NOTHING, `${name}: ${JSON.stringify(answer)}`).toContain(answer?.kind ?? answer);
  }
  expect(await standing()).toEqual(before);
  expect(await core.forTeam('T2').homes.unknown(0, 'C-sales')).toMatchObject({ singles: 0, inJobs: 0 });

  const own = core.forTeam('T1');
  expect(await own.sends.view(send.id)).toEqual(send);
  expect(await own.jobs.preview(job.id)).toMatchObject({ view: { id: job.id } });
  expect(await own.jobs.rejected(job.id)).toEqual([]);
});

test('a workspace’s view of its instances has neither the sealed key nor its fingerprint', async () => {
  const { core, instance } = await runLinked(await createCoreWorld());
  const own = core.forTeam('T1');
  const job = await draftedJob(core);
  const key = ApiKey.from(ACME_KEY);
  const got = [
    await own.instances.get(instance.id),
    await own.instances.list(),
    await own.instances.add({ name: 'Again', key, by: ANA.id }),
    await own.instances.replaceKey(instance, key, { acceptOtherAccount: false }),
    await own.links.find('C-sales'),
    await own.sends.draft(aRequest()),
    await own.jobs.preview(job.id),
  ];
  for (const answer of got) {
    const words = JSON.stringify(answer);
    expect(words).toContain(instance.keyHint);
    expect(words).not.toContain('sealedKey');
    expect(words).not.toContain('keyFingerprint');
  }
});

test('an instance of another workspace that is handed in is refused, before anything is done', async () => {
  const { core, instance } = await runLinked(await createCoreWorld());
  const other = core.forTeam('T2');
  expect(() => other.instances.remove(instance)).toThrow('another workspace');
  expect(() => other.refusals.set(instance, 'atomic', ANA.id)).toThrow('another workspace');
  await expect(other.credit.read(instance)).rejects.toThrow('another workspace');
  await expect(
    other.instances.replaceKey(instance, ApiKey.from(ACME_KEY), { acceptOtherAccount: true }),
  ).rejects.toThrow('another workspace');
  expect(await core.instances.get('T1', instance.id)).toEqual(instance);
});
