import { z } from 'zod';
import { elementsOf } from '../elements.ts';
import type { Json } from '../types.ts';
import { homeBlock, messageBlock, modalBlock } from './blocks.ts';
import { plainText } from './objects.ts';
import { type Problem, problemsOf } from './problems.ts';

/** Slack refuses a message whose blocks have more than about this many characters as JSON. */
export const MAX_BLOCKS_SIZE = 13_200;
/** The largest view, in characters of JSON: Slack says 250 kB. */
export const MAX_VIEW_SIZE = 250_000;

const message = z.strictObject({ blocks: z.array(messageBlock).max(50) });

const ids = {
  private_metadata: z.string().max(3000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
};

const modal = z.strictObject({
  type: z.literal('modal'),
  title: plainText(24),
  blocks: z.array(modalBlock).max(100),
  submit: plainText(24).optional(),
  close: plainText(24).optional(),
  ...ids,
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

const home = z.strictObject({ type: z.literal('home'), blocks: z.array(homeBlock).max(100), ...ids });

/** Elements that Slack refuses in a Home tab. */
const NOT_IN_HOME = new Set<unknown>([
  'datetimepicker',
  'email_text_input',
  'file_input',
  'number_input',
  'url_text_input',
  'workflow_button',
]);

/** Problems of well-formed blocks with each other, such as an id that occurs twice. */
function crossProblems(blocks: Json[]): Problem[] {
  const problems: Problem[] = [];
  const report = (message: string, ...path: Problem['path']) =>
    problems.push({ message, path: ['blocks', ...path] });
  const blockIds = new Set<unknown>();
  let focused = 0;
  let tables = 0;
  let charts = 0;
  for (const [i, block] of blocks.entries()) {
    const { type, block_id } = block;
    if (block_id !== undefined && blockIds.has(block_id))
      report(`block_id already exists: ${block_id}`, i, 'block_id');
    blockIds.add(block_id);
    if (type === 'table' && ++tables > 1) report('only one table allowed', i);
    if (type === 'data_visualization' && ++charts > 2)
      report('no more than 2 data_visualization blocks allowed', i);
    const actionIds = new Set<unknown>();
    for (const [path, { action_id, focus_on_load }] of elementsOf(block)) {
      if (action_id !== undefined && actionIds.has(action_id))
        report(`action_id already exists: ${action_id}`, i, ...path);
      actionIds.add(action_id);
      if (focus_on_load === true && ++focused > 1) report('only one element may have focus', i, ...path);
    }
  }
  return problems;
}

/**
 * What Slack would refuse in a message's blocks; empty if they are fine. Blocks that the playground does not imitate
 * count as unsupported: card, carousel, container, file, plan, task_card, video, context_actions.
 * Limits: docs.slack.dev/reference/block-kit.
 */
export function checkMessageBlocks(blocks: unknown): Problem[] {
  const read = message.safeParse({ blocks });
  return read.success ? crossProblems(read.data.blocks) : problemsOf(read.error, { blocks });
}

const inTheView = (problems: Problem[]): Problem[] =>
  problems.map((problem) => ({ ...problem, path: ['view', ...problem.path] }));

/** What Slack would refuse in a modal; empty if it is fine. Limits: docs.slack.dev/surfaces/modals. */
export function checkView(definition: unknown): Problem[] {
  const read = modal.safeParse(definition);
  const problems = read.success ? crossProblems(read.data.blocks) : problemsOf(read.error, definition);
  if (read.success && read.data.submit === undefined && read.data.blocks.some((b) => b.type === 'input')) {
    problems.push({ message: 'missing required field: submit', path: [] });
  }
  return inTheView(problems);
}

/** What Slack would refuse in a Home tab; empty if it is fine. Limits: docs.slack.dev/surfaces/app-home. */
export function checkHome(definition: unknown): Problem[] {
  const read = home.safeParse(definition);
  if (!read.success) return inTheView(problemsOf(read.error, definition));
  const problems = crossProblems(read.data.blocks);
  for (const [i, block] of read.data.blocks.entries()) {
    for (const [path, { type }] of elementsOf(block)) {
      const where = ['blocks', i, ...path, 'type'];
      if (NOT_IN_HOME.has(type)) problems.push({ message: `unsupported type: ${type}`, path: where });
    }
  }
  return inTheView(problems);
}
