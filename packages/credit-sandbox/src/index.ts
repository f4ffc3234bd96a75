export { SandboxError } from './books.ts';
export { type Endpoint, Fault, type FaultInput } from './faults.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
export type { Seed } from './seed.ts';
export type { SentMessage } from './snapshot.ts';
export type { Switches, SwitchesPatch } from './switches.ts';
