/** The steps of a JSON pointer (RFC 6901): `/a/b~1c/0` is `a`, `b/c`, `0`. Undefined if it does not begin with a slash. */
function pointerSteps(pointer: string): string[] | undefined {
  if (!pointer.startsWith('/')) return undefined;
  return pointer
    .slice(1)
    .split('/')
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));
}

function childOf(value: unknown, step: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}

/** Why nothing can be put there (or, for null, taken away); undefined if all is well. */
export function pointerProblem(root: unknown, pointer: string, value: unknown): string | undefined {
  const steps = pointerSteps(pointer);
  if (!steps) return `${JSON.stringify(pointer)} is no JSON pointer: it must begin with a slash, e.g. /withhold or /expect/0/state`;
  let place = root;
  for (const [i, step] of steps.entries()) {
    const last = i === steps.length - 1;
    const child = childOf(place, step);
    if (child === undefined && (!last || value === null || typeof place !== 'object' || place === null)) {
      return `${JSON.stringify(pointer)} points nowhere: there is no ${JSON.stringify(`/${steps.slice(0, i + 1).join('/')}`)}`;
    }
    place = child;
  }
  return undefined;
}

/** `root` with `value` put at the pointer's place, or with that place taken away if it is null. `root` itself stays as it is. */
export function replacedAt(root: unknown, pointer: string, value: unknown): unknown {
  return replaced(root, pointerSteps(pointer) ?? [], value);
}

function replaced(root: unknown, [step, ...rest]: readonly string[], value: unknown): unknown {
  if (step === undefined) return value;
  const child = rest.length === 0 ? value : replaced(childOf(root, step), rest, value);
  const gone = rest.length === 0 && value === null;
  if (Array.isArray(root)) return gone ? root.toSpliced(Number(step), 1) : root.with(Number(step), child);
  const { [step]: _, ...others } = root as Record<string, unknown>;
  return gone ? others : { ...(root as object), [step]: child };
}
