import type { SourcePosition } from '../errors.ts';
import type { PositionOf } from '../protobuf/document.ts';
import type { Fact } from './fact.ts';
import type { InputKind } from './input.ts';

/** One input as it is given: its name, and its text. */
export interface InputText {
  /** As the user named it. */
  readonly name: string;
  readonly text: string;
}

/** What one input says. */
export interface Reading {
  readonly source: string;
  readonly kind: InputKind;
  readonly facts: readonly Fact[];
  /** What could not be read of it, and the like; sentences without a full stop. */
  readonly notes: readonly string[];
}

/** A JSON or YAML document of an input. */
export interface ReadValue {
  readonly value: unknown;
  readonly positionOf: PositionOf;
}

/** The lines of a text with their places. */
export function placedLines({ name, text }: InputText): readonly { readonly at: SourcePosition; readonly line: string }[] {
  return text.split('\n').map((line, i) => ({ at: { file: name, line: i + 1 }, line: line.replace(/\r$/, '') }));
}
