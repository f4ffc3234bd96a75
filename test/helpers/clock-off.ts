/** Sets a process's clock off by CLOCK_OFF_MS, as if its machine's were: `node --import` this file. */
const offMs = Number(process.env.CLOCK_OFF_MS);
const MachineDate = Date;

globalThis.Date = new Proxy(MachineDate, {
  construct: (_target, given) =>
    Reflect.construct(MachineDate, given.length === 0 ? [MachineDate.now() + offMs] : given),
  get: (target, name) =>
    name === 'now' ? () => MachineDate.now() + offMs : Reflect.get(target, name, target),
});
