/**
 * Expands `$(NAME)` in an argument or a value as the kubelet does: `$$` is an escaped `$`, so `$$(NAME)` stays `$(NAME)`; a name that is not
 * known stays as it was written. This is not the shell's expansion: `$NAME` and `${NAME}` mean nothing here.
 *
 * @see k8s.io/kubernetes third_party/forked/golang/expansion/expand.go
 */
export function expandVariables(text: string, valueOf: (name: string) => string | undefined): Expansion {
  const used: string[] = [];
  const unknown: string[] = [];
  const expanded = text.replaceAll(/\$(?:\$|\(([^)]*)\))/g, (written, name: string | undefined) => {
    if (name === undefined) return '$';
    const value = valueOf(name);
    (value === undefined ? unknown : used).push(name);
    return value ?? written;
  });
  return { text: expanded, used, unknown };
}

export interface Expansion {
  readonly text: string;
  /** Names that were replaced. */
  readonly used: readonly string[];
  /** Names that stay, as nobody knows them. */
  readonly unknown: readonly string[];
}
