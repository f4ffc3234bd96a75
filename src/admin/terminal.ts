/** A command can't be carried out; the message says why, in a sentence for the operator. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
