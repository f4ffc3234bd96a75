import { z } from 'zod';
import { messageBlock, modalBlock } from './blocks.ts';
import { plainText } from './objects.ts';
import { type Problem, problemsOf } from './problems.ts';

/** Slack starts to refuse a message's blocks near this many characters, containers included. */
export const MAX_BLOCKS_SIZE = 13_200;
/** A view may weigh 250 kB. */
export const MAX_VIEW_SIZE = 250_000;

const message = z.strictObject({ blocks: z.array(messageBlock).max(50) });

const view = z.strictObject({
  type: z.literal('modal'),
  title: plainText(24),
  blocks: z.array(modalBlock).max(100),
  submit: plainText(24).optional(),
  close: plainText(24).optional(),
  private_metadata: z.string().max(3000).optional(),
  callback_id: z.string().max(255).optional(),
  external_id: z.string().max(255).optional(),
  clear_on_close: z.boolean().optional(),
  notify_on_close: z.boolean().optional(),
});

type Loose = Record<string, unknown>;

/** The elements of a block that a person can use, with their place in the block. */
function* elementsOf(block: Loose): Generator<[path: (string | number)[], element: Loose]> {
  if (block.type === 'input') yield [['element'], block.element as Loose];
  if (block.type === 'section' && block.accessory) yield [['accessory'], block.accessory as Loose];
  if (block.type === 'actions') {
    for (const [i, element] of (block.elements as Loose[]).entries()) yield [['elements', i], element];
  }
}

/** Problems that only show when well-formed blocks are taken together. */
function crossProblems(blocks: Loose[]): Problem[] {
  const problems: Problem[] = [];
  const blockIds = new Set<unknown>();
  let focused = 0;
  let tables = 0;
  for (const [i, block] of blocks.entries()) {
    if (block.block_id !== undefined && blockIds.has(block.block_id)) {
      problems.push({
        message: `block_id already exists: ${block.block_id}`,
        path: ['blocks', i, 'block_id'],
      });
    }
    blockIds.add(block.block_id);
    if (block.type === 'table' && ++tables > 1) {
      problems.push({ message: 'only one table allowed', path: ['blocks', i] });
    }
    const actionIds = new Set<unknown>();
    for (const [path, element] of elementsOf(block)) {
      const { action_id } = element;
      if (action_id !== undefined && actionIds.has(action_id)) {
        problems.push({ message: `action_id already exists: ${action_id}`, path: ['blocks', i, ...path] });
      }
      actionIds.add(action_id);
      if (element.focus_on_load === true && ++focused > 1) {
        problems.push({ message: 'only one element may have focus', path: ['blocks', i, ...path] });
      }
    }
  }
  return problems;
}

/**
 * What Slack would refuse in a message's blocks. Empty when they are fine. Card, carousel, container, file, plan,
 * task_card, video and context_actions blocks are not known here and count as unsupported.
 * Limits: docs.slack.dev/reference/block-kit.
 */
export function checkMessageBlocks(blocks: unknown): Problem[] {
  const read = message.safeParse({ blocks });
  return read.success ? crossProblems(read.data.blocks) : problemsOf(read.error, { blocks });
}

/** What Slack would refuse in a modal. Empty when it is fine. Limits: docs.slack.dev/surfaces/modals. */
export function checkView(definition: unknown): Problem[] {
  const read = view.safeParse(definition);
  const problems = read.success ? crossProblems(read.data.blocks) : problemsOf(read.error, definition);
  if (read.success && read.data.submit === undefined && read.data.blocks.some((b) => b.type === 'input')) {
    problems.push({ message: 'missing required field: submit', path: [] });
  }
  return problems.map((problem) => ({ ...problem, path: ['view', ...problem.path] }));
}
