export { SandboxError, type SentMessage } from './books.ts';
export type { Endpoint, FaultInput } from './faults.ts';
export { Fault } from './faults.ts';
export { createSandbox, type Sandbox, type SandboxOptions } from './sandbox.ts';
export type { Seed } from './seed.ts';
export type { Switches, SwitchesPatch } from './switches.ts';
