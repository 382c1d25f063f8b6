import textformat from 'protobufjs/ext/textformat.js';
import { FakeIstiodError } from '../errors.ts';
import { decodeJson } from './canonical-json.ts';
import type { PositionOf } from './document.ts';
import { messageType } from './message-type.ts';

/** A message read from protobuf's text format. */
export interface TextMessage {
  /** As canonical JSON. */
  readonly value: unknown;
  /** The line on which a top field stands first; what is below it has the same place. */
  readonly positionOf: PositionOf;
}

/** Whether a text may be in protobuf's text format: fields by their .proto names, a message without a colon, and no YAML. */
export function looksLikeTextFormat(text: string): boolean {
  return /^\s*[a-z][a-z0-9_]*\s*\{/m.test(text) || /^\s*[a-z][a-z0-9]*_[a-z0-9_]*\s*:/m.test(text);
}

/**
 * Reads protobuf's text format, as `prototext` writes it.
 *
 * @throws FakeIstiodError `input.syntax` with the line.
 */
export function readTextFormat(typeName: string, name: string, text: string): TextMessage {
  const type = messageType(typeName);
  try {
    const bytes = type.encode(textformat.fromText(type, text)).finish();
    return { value: decodeJson(typeName, bytes), positionOf: (path) => ({ file: name, line: lineOf(text, path[0]) }) };
  } catch (error) {
    const [, what, line] = /^(.*?)(?: \(line (\d+)\))?$/s.exec((error as Error).message) ?? [];
    throw FakeIstiodError.of('input.syntax', [
      {
        at: { file: name, ...(line === undefined ? {} : { line: Number(line) }) },
        what: `not a ${typeName} in protobuf text format: ${(what ?? '').replace(/^\.[\w.]+: /, '')}`,
        remedy: 'Write it as YAML, or as `field_name: value` lines of this message',
      },
    ]);
  }
}

function lineOf(text: string, field: string | number | undefined): number {
  const snake = String(field ?? '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const lines = text.split('\n');
  return Math.max(1, lines.findIndex((line) => new RegExp(`^\\s*(?:${snake}|${String(field)})\\s*[:{<]`).test(line)) + 1);
}
