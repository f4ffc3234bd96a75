import type { DataVisualization } from './blocks/charts.ts';
import { optionsOf } from './elements.ts';
import type { Block, Json, Message, OpenView, View } from './types.ts';

type Texty = { text?: string } | undefined;
const words = (object: unknown): string => (object as Texty)?.text ?? '';

function richWords(elements: Json[]): string {
  return elements
    .map((one) => {
      if (Array.isArray(one.elements)) return `${richWords(one.elements as Json[])}\n`;
      if (one.type === 'emoji') return `:${one.name}:`;
      return String(one.text ?? one.fallback ?? one.url ?? one.user_id ?? one.channel_id ?? '');
    })
    .join('')
    .trimEnd();
}

function optionWords(element: Json): string {
  return optionsOf(element)
    .map((option) => [words(option.text), words(option.description)].filter(Boolean).join(': '))
    .join(' | ');
}

function elementWords(element: Json): string {
  const type = String(element.type);
  if (type.endsWith('button')) return `[${words(element.text)}]`;
  if (type === 'image') return `(${element.alt_text})`;
  if (type === 'mrkdwn' || type === 'plain_text') return words(element);
  const initial = element.initial_value ?? words((element.initial_option as Json | undefined)?.text);
  return `[${[initial, words(element.placeholder), optionWords(element)].filter(Boolean).join(' ▾ ')}]`;
}

function cellWords(cell: Json): string {
  return cell.type === 'rich_text' ? richWords(cell.elements as Json[]) : words(cell);
}

/** The chart's title, then its segments in a line, or a line for each series. */
function chartWords({ title, chart }: DataVisualization): string {
  const figures = (points: { label: string; value: number }[]) =>
    points.map(({ label, value }) => `${label} ${value}`).join(' | ');
  if (chart.type === 'pie') return `${title}\n${figures(chart.segments)}`;
  return [title, ...chart.series.map(({ name, data }) => `${name}: ${figures(data)}`)].join('\n');
}

function blockWords(block: Json): string {
  switch (block.type) {
    case 'section': {
      const fields = ((block.fields as Json[] | undefined) ?? []).map(words);
      const accessory = block.accessory ? [elementWords(block.accessory as Json)] : [];
      return [words(block.text), ...fields, ...accessory].filter(Boolean).join('\n');
    }
    case 'header':
    case 'alert':
      return words(block.text);
    case 'markdown':
      return String(block.text);
    case 'context':
    case 'actions':
      return (block.elements as Json[]).map(elementWords).join(' ');
    case 'input':
      return [`${words(block.label)}: ${elementWords(block.element as Json)}`, words(block.hint)]
        .filter(Boolean)
        .join('\n');
    case 'image':
      return [words(block.title), `(${block.alt_text})`].filter(Boolean).join('\n');
    case 'rich_text':
      return richWords(block.elements as Json[]);
    case 'table':
    case 'data_table': {
      const rows = (block.rows as Json[][]).map((row) => row.map(cellWords).join(' | '));
      return [block.caption, ...rows].filter(Boolean).join('\n');
    }
    case 'data_visualization':
      return chartWords(block as DataVisualization);
    default:
      return '---';
  }
}

function viewWords(view: View, errors: Readonly<Record<string, string>>): string {
  const body = view.blocks.flatMap((block) => {
    const error = errors[block.block_id];
    return [blockWords(block), ...(error === undefined ? [] : [`! ${error}`])];
  });
  const buttons = [view.submit, view.close].filter(Boolean).map((button) => `[${words(button)}]`);
  const title = view.type === 'home' ? [] : [words(view.title)];
  return [...title, ...body, ...(buttons.length > 0 ? [buttons.join(' ')] : [])].join('\n');
}

/**
 * The words that a person reads: one line or more for each block, with `[Button]`,
 * `Label: [value ▾ placeholder ▾ options]` and `! error`. A message without blocks is its text; files are `(name)`.
 * Markup and entities stay.
 */
export function textOf(what: Message | OpenView | View | readonly Block[]): string {
  if (Array.isArray(what)) return (what as Block[]).map(blockWords).join('\n');
  if ('view' in what) {
    const { view, errors } = what as OpenView;
    return viewWords(view, errors);
  }
  if ('hash' in what) return viewWords(what as View, {});
  const { blocks, text, files = [] } = what as Message;
  const said = blocks.length > 0 ? blocks.map(blockWords) : [text];
  return [...said, ...files.map(({ name }) => `(${name})`)].filter(Boolean).join('\n');
}
