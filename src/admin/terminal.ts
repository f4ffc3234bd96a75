/** The command can't do its work. The message tells the operator why, in a sentence. */
export class AdminError extends Error {
  override readonly name = 'AdminError';
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
