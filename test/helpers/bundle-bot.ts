import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import { START, startBundled } from './start-command.ts';

const root = join(import.meta.dirname, '../..');
/** The folder of this checkout's bundle: several checkouts may share one `node_modules`. */
const FOLDER = join(root, '.cache/bot');
const SOURCES = [
  'src',
  'local',
  'packages/credit-sandbox/src',
  'packages/slack-playground/src',
  'package-lock.json',
  'test/helpers/bundle-bot.ts',
];

const LIST_WORKER = join(root, 'src/core/lists/worker/main.ts');
const ADMIN = join(root, 'src/admin.ts');
const BOT = join(FOLDER, 'start.mjs');

/**
 * The thread that checks lists starts from the bundle, too, and so does the playground's bot. All other files are found
 * where they are.
 */
const IN_PLACE: Plugin = {
  name: 'in-place',
  transform: {
    filter: { code: /\bimport\.meta\.(?:url|dirname)\b/ },
    handler: (code, id) =>
      code
        .replace(
          "new URL('./main.ts', import.meta.url)",
          `new URL('${pathToFileURL(FOLDER)}/list-worker.mjs')`,
        )
        .replace("join(import.meta.dirname, '../src/start.js')", JSON.stringify(BOT))
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(id))),
  },
};

/** Imports Node's modules without a copy of all their exports: the copy of `http` alone loads a second undici, in 0.1 s. */
const BUILT_IN: Plugin = {
  name: 'built-in',
  renderChunk: (code) =>
    code.replace(/^import (.+) from "([^"]+)";$/gm, (line, names: string, module: string) => {
      if (!isBuiltin(module)) return line;
      const [, whole, named] = /^(?:\* as )?(\w+)?(?:, )?(\{.*\})?$/.exec(names) ?? [];
      return [whole, named?.replaceAll(' as ', ': ')]
        .filter((each) => each !== undefined)
        .map((each) => `const ${each} = process.getBuiltinModule("${module}");`)
        .join(' ');
    }),
};

/**
 * Bundles the bot and the operator's commands for tests that are not about their start: at each start Node finds and links a thousand files, which is
 * half of its work. Uses a bundle again if it is newer than its sources.
 */
export async function setup(): Promise<void> {
  if (!existsSync(BOT) || statSync(BOT).mtimeMs <= newestSource()) {
    await bundle();
    const { workOnce } = await import('./work-once.ts');
    await workOnce(startBundled(BOT));
  }
  process.env.BUNDLED_BOT = BOT;
}

async function bundle(): Promise<void> {
  const made = `${FOLDER}-${process.pid}`;
  const build = await rolldown({
    input: { start: START.at(-1) as string, admin: ADMIN, 'list-worker': LIST_WORKER },
    platform: 'node',
    // Native modules stay where they are installed.
    external: ['@resvg/resvg-js'],
    plugins: [IN_PLACE, BUILT_IN],
    onLog: () => undefined,
  });
  await build.write({
    dir: made,
    entryFileNames: '[name].mjs',
    chunkFileNames: '[name]-[hash].mjs',
    comments: false,
    minify: { compress: false, mangle: false, codegen: { removeWhitespace: true } },
  });
  await build.close();
  rmSync(FOLDER, { recursive: true, force: true });
  renameSync(made, FOLDER);
}

/** In ms. Folders count, too: they change when somebody deletes a file. */
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
