import type { Hono } from 'hono';
import { z } from 'zod';
import { headersOf } from './file-routes.ts';
import { isText } from './file-types.ts';
import { ActionProblem, type createPageActions } from './page-actions.ts';
import { MAX_ATTACHED_BYTES } from './people-with-files.ts';
import { seesFile } from './screen.ts';
import type { Playground } from './server.ts';
import type { User } from './types.ts';

const id = z.string().min(1).max(255);
const AttachQuery = z.object({ as: id, view: id, block_id: id, action_id: id, name: id });

export interface PageFileOptions {
  slack: Playground;
  /** The person of this id. Throws an ActionProblem. */
  needPerson(id: string): User;
  attach: ReturnType<typeof createPageActions>['attach'];
}

/** The files of messages, and those that people put into forms. */
export function addPageFileRoutes(app: Hono, { slack, needPerson, attach }: PageFileOptions): void {
  app.get('/files/:id', (c) => {
    const file = c.req.param('id');
    const user = needPerson(c.req.query('as') ?? '');
    const info = seesFile(slack, user, file) ? slack.file(file)?.info : undefined;
    const bytes = info && slack.fileBytes(file);
    if (!bytes) return c.json({ ok: false, problem: 'This file is gone.' }, 404);
    // Never as what it says it is: a page in a file would otherwise be one of the playground's own.
    const mimetype = isText(info.mimetype) ? 'text/plain; charset=utf-8' : 'application/octet-stream';
    return c.body(bytes, 200, headersOf({ name: info.name, mimetype }));
  });

  app.post('/act/attach', async (c) => {
    const query = AttachQuery.safeParse(c.req.query());
    // A type that no page of somebody else's can post.
    if (!query.success || c.req.header('content-type') !== 'application/octet-stream')
      throw new ActionProblem('This is not what the page may ask for.');
    const { as, ...given } = query.data;
    return c.json(await attach({ user: needPerson(as), ...given, bytes: await readSome(c.req.raw.body) }));
  });
}

/** The bytes, cut off a little above the limit: enough to see that they are too many. */
async function readSome(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for await (const part of body ?? []) {
    if (size <= MAX_ATTACHED_BYTES) parts.push(part);
    size += part.byteLength;
  }
  return Buffer.concat(parts);
}
