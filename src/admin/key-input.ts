import { readKey } from '../core/accounts/read-key.ts';
import { KEY_FAULTS } from '../slack/ui/setup/key-words.ts';
import { AdminError } from './terminal.ts';

/** Reads the API key from standard input, without an echo on a terminal. @throws AdminError if it is not a key */
export async function keyFromInput() {
  const read = readKey(process.stdin.isTTY ? await typedLine() : await pipedLine());
  if ('fault' in read) throw new AdminError(`${KEY_FAULTS[read.fault]} Nothing was changed.`);
  return read.key;
}

async function typedLine(): Promise<string> {
  process.stderr.write('Paste the API key and press Enter (it is not shown): ');
  process.stdin.setRawMode(true);
  try {
    return await pipedLine();
  } finally {
    process.stdin.setRawMode(false);
    process.stderr.write('\n');
  }
}

async function pipedLine(): Promise<string> {
  let line = '';
  for await (const part of process.stdin.setEncoding('utf8')) {
    line += part;
    // A raw terminal passes Ctrl-C on as a character.
    if (line.includes('\u0003')) throw new AdminError('Nothing was changed.');
    if (/[\r\n]/.test(line.trimStart())) break;
  }
  return line;
}
