import type { Core } from './core.ts';

/**
 * Core as one workspace sees it: what is asked for by its id is not there where it belongs to another workspace. An id
 * travels through Slack and back, and proves nothing.
 */
export function coreOfWorkspace(core: Core, team: string): Core {
  const { sends, jobs } = core;

  function own<T extends { team: string }>(found: T | undefined): T | undefined {
    return found?.team === team ? found : undefined;
  }

  async function ownJob<T>(id: string, ask: () => Promise<T | undefined>): Promise<T | undefined> {
    return own(await jobs.view(id)) && ask();
  }

  return {
    ...core,
    sends: { ...sends, view: async (id) => own(await sends.view(id)) },
    jobs: {
      ...jobs,
      view: async (id) => own(await jobs.view(id)),
      preview: (id) => ownJob(id, () => jobs.preview(id)),
      rejected: (id) => ownJob(id, () => jobs.rejected(id)),
      resultsCsv: (id) => ownJob(id, () => jobs.resultsCsv(id)),
    },
  };
}
