/** Something that a person cannot do; the message is a sentence for that person. */
export class ActionProblem extends Error {
  override readonly name = 'ActionProblem';
  readonly code = 'cannot_be_done';
}
