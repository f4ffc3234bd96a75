import type { Steps } from '../../store/steps.ts';
import type { View } from '../../store/view.ts';

type StepWithArguments = (view: View, ...asked: never[]) => unknown;

type Methods<Named> = {
  [Name in keyof Named]: Named[Name] extends (view: View, ...asked: infer Asked) => infer Answer
    ? (...asked: Asked) => Promise<Answer>
    : never;
};

/** A method for each function, which runs the function as one step. Steps of one `queue` follow each other. */
export function asMethods<Named extends { [name: string]: StepWithArguments }>(
  run: Steps['run'],
  named: Named,
  queue?: string,
): Methods<Named> {
  const methods = Object.entries(named).map(([name, step]) => [
    name,
    (...asked: never[]) => run((view) => step(view, ...asked), queue),
  ]);
  return Object.fromEntries(methods);
}
