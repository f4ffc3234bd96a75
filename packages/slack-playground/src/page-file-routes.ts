import type { Context, Hono } from 'hono';
import type { z } from 'zod';
import { ActionProblem } from './action-problem.ts';
import { headersOf } from './file-routes.ts';
import { isPicture, isText } from './file-types.ts';
import type { createPageActions } from './page-actions.ts';
import { QUERIES } from './page-state.ts';
import { MAX_ATTACHED_BYTES } from './people-with-files.ts';
import { seesFile } from './screen.ts';
import type { Playground } from './server.ts';
import type { User } from './types.ts';

/** Serves the files of messages, and takes those that people post or attach. `needPerson` throws an ActionProblem. */
export function addPageFileRoutes(
  app: Hono,
  slack: Playground,
  needPerson: (id: string) => User,
  actions: ReturnType<typeof createPageActions>,
): void {
  const gone = { ok: false, problem: 'This file is gone.' };

  /** The file with its bytes; undefined if this person may not see it. */
  function seen(file: string, as = '') {
    const info = seesFile(slack, needPerson(as), file) ? slack.file(file)?.info : undefined;
    const bytes = info && slack.fileBytes(file);
    return bytes && { info, bytes };
  }

  app.get('/files/:id/picture', (c) => {
    const file = seen(c.req.param('id'), c.req.query('as'));
    if (!file || !isPicture(file.info.mimetype)) return c.json(gone, 404);
    return c.body(file.bytes, 200, { 'Content-Type': file.info.mimetype });
  });

  app.get('/files/:id', (c) => {
    const file = seen(c.req.param('id'), c.req.query('as'));
    if (!file) return c.json(gone, 404);
    const { info, bytes } = file;
    // Never with the file's own type: an HTML file would otherwise be a page of the playground.
    const mimetype = isText(info.mimetype) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
    return c.body(bytes, 200, headersOf({ name: info.name, mimetype }));
  });

  /** The query and the bytes of a post. It must have a content type that no other site's page can post. */
  async function posted<Query extends { as: string }>(c: Context, schema: z.ZodType<Query>) {
    const query = schema.safeParse(c.req.query());
    if (!query.success || c.req.header('content-type') !== 'application/octet-stream')
      throw new ActionProblem('This is not what the page may ask for.');
    const { as, ...given } = query.data;
    return { user: needPerson(as), ...given, bytes: await readSome(c.req.raw.body) };
  }

  app.post('/act/attach', async (c) => c.json(await actions.attach(await posted(c, QUERIES.attach))));
  app.post('/act/share', async (c) => c.json(actions.share(await posted(c, QUERIES.share))));
}

/** The bytes, cut a little above the limit: enough to see that they are too many. */
async function readSome(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    if (size <= MAX_ATTACHED_BYTES) parts.push(part);
    size += part.byteLength;
  }
  return Buffer.concat(parts);
}
