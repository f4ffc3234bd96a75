import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { compile } from './fill-compile-cache.ts';
import { START, startBundled } from './start-command.ts';

const root = join(import.meta.dirname, '../..');
const FOLDER = join(root, 'node_modules/.cache/switchboard-bundle');
const SOURCES = [
  'src',
  'local',
  'packages/credit-sandbox/src',
  'packages/slack-playground/src',
  'package-lock.json',
  'test/helpers/bundle-bot.ts',
];

/** Files that the bot finds beside its own, as its font and its workers, stay where they are. */
const IN_PLACE: Plugin = {
  name: 'in-place',
  transform: {
    filter: { code: /\bimport\.meta\.(?:url|dirname)\b/ },
    handler: (code, id) =>
      code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
  },
};

/**
 * Bundles the bot for the tests that are not about its start: Node finds and joins a thousand files at each, which is
 * half of its work. A bundle that is newer than its sources is taken as it is.
 */
export async function setup(): Promise<void> {
  const bot = join(FOLDER, 'start.mjs');
  if (!existsSync(bot) || statSync(bot).mtimeMs <= newestSource()) {
    await bundle();
    compile(startBundled(bot));
  }
  process.env.BUNDLED_BOT = bot;
}

async function bundle(): Promise<void> {
  const made = `${FOLDER}-${process.pid}`;
  const build = await rolldown({
    input: START.at(-1) as string,
    platform: 'node',
    // Machine code stays where it was installed.
    external: ['@resvg/resvg-js'],
    plugins: [IN_PLACE],
    onLog: () => undefined,
  });
  await build.write({ dir: made, entryFileNames: '[name].mjs', chunkFileNames: '[name]-[hash].mjs' });
  await build.close();
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(made, FOLDER);
}

/** ms; folders count too, since they tell when a file was taken away. */
function newestSource(): number {
  const paths = SOURCES.flatMap((source) => {
    const path = join(root, source);
    const inside = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
      : [];
    return [path, ...inside.map((name) => join(path, name))];
  });
  return Math.max(...paths.map((path) => statSync(path).mtimeMs));
}
