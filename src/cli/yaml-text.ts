import { stringify } from 'yaml';

/** A value as YAML, block style, nothing folded or anchored. A file of its own, so that it is loaded only where YAML is written. */
export function yamlText(value: unknown): string {
  return stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 });
}
