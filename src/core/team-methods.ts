import type { Person } from './accounts/permissions.ts';

/** Binds methods of core to one workspace, so they find nothing of others. They throw if a record of another is passed in. */
export function createTeamMethods(team: string) {
  function found<T extends { team: string }>(answer: T | undefined): T | undefined {
    return answer?.team === team ? answer : undefined;
  }

  function own<T extends { team: string }>(given: T): T {
    if (given.team !== team) throw new Error('a record of another workspace was passed in');
    return given;
  }

  /** A method whose first argument is the workspace. */
  function here<Rest extends unknown[], Answer>(method: (team: string, ...rest: Rest) => Answer) {
    return (...rest: Rest) => method(team, ...rest);
  }

  /** A method whose first argument belongs to the workspace. */
  function ofOwn<Given extends { team: string }, Rest extends unknown[], Answer>(
    method: (given: Given, ...rest: Rest) => Answer,
  ) {
    return (given: Given, ...rest: Rest) => method(own(given), ...rest);
  }

  /** A method for the id of a send and a person of the workspace. It finds only sends of the person's workspace. */
  function byOwn<Rest extends unknown[], Answer>(
    method: (id: string, person: Person, ...rest: Rest) => Answer,
  ) {
    return (id: string, person: Person, ...rest: Rest) => method(id, own(person), ...rest);
  }

  /** A method whose first argument names a person of the workspace. */
  function askedByOwn<Asked extends { person: Person }, Rest extends unknown[], Answer>(
    method: (asked: Asked, ...rest: Rest) => Answer,
  ) {
    return (asked: Asked, ...rest: Rest) => {
      own(asked.person);
      return method(asked, ...rest);
    };
  }

  return { found, own, here, ofOwn, byOwn, askedByOwn };
}
