export { ActionProblem } from './action-problem.ts';
export type { DataVisualization } from './blocks/charts.ts';
export { checkHome, checkMessageBlocks, checkView } from './blocks/check.ts';
export { inWords } from './blocks/problems.ts';
export { type Choice, labelOf, type Spot, spotsOf } from './elements.ts';
export type { Fault } from './faults.ts';
export { deliverByHttp } from './http-delivery.ts';
export { newId, withIds } from './ids.ts';
export { readManifest, type Shortcut } from './manifest.ts';
export {
  createPageServer,
  type PageOptions,
  type PageServer,
  type PlaygroundBot,
  type PlaygroundPanels,
  type PlaygroundSteps,
} from './page-server.ts';
export type { ActionAnswer, Actions, PageChannel, PageState, PanelTab, Step, TryThis } from './page-state.ts';
export type { Reaction } from './reactions.ts';
export type { Ref } from './references.ts';
export { textOf } from './render.ts';
export { channel, createSeeds, person } from './seeds.ts';
export { createPlayground, type Playground, type PlaygroundOptions } from './server.ts';
export { sign } from './signing.ts';
export type {
  Block,
  Call,
  Change,
  Channel,
  Ephemeral,
  Json,
  Message,
  OpenView,
  User,
  View,
} from './types.ts';
