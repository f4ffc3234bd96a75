import { parseArgs } from 'node:util';
import { COMMANDS, USAGE } from './admin/commands.ts';
import { AdminError, say } from './admin/terminal.ts';
import { OPTIONS, type Options } from './admin/tools.ts';
import { loadEnvFile, readConfig } from './config/read-config.ts';
import { explainStart } from './start-error.ts';

const HELP = ['help', '--help', '-h'];

await main().catch((error: unknown) => {
  const sentence = error instanceof AdminError ? error.message : explainStart(error);
  if (sentence === undefined) throw error;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
});

async function main(): Promise<void> {
  // Only this account may read the files that the command writes, even in a folder that others may enter.
  process.umask(0o077);
  // A reader such as head may close the pipe early: the command ends its work all the same.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  if (HELP.includes(process.argv[2] ?? '')) return say(USAGE);
  const { command: name, options } = readArguments();
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  // Unknown words may contain an API key: never repeat them.
  if (!command) throw new AdminError(name === '' ? USAGE : `This is not a command.\n\n${USAGE}`);
  loadEnvFile();
  const config = readConfig(process.env);
  if (config.mode !== 'real') {
    throw new AdminError(
      'None of the bot’s variables is set here, and this command needs the same ones. Run it where the bot runs, or set them: see docs/configuration.md.',
    );
  }
  await command({ config, options });
}

function readArguments(): { command: string; options: Options } {
  try {
    const { positionals, values } = parseArgs({ allowPositionals: true, options: OPTIONS });
    const [command = '', ...more] = positionals;
    if (more.length > 0) throw new TypeError('too many words');
    return { command, options: { ...values } };
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new AdminError(
      `The command has an unknown option, an option without its value, or a word too many. Never write an API key here: it is read from standard input.\n\n${USAGE}`,
    );
  }
}
