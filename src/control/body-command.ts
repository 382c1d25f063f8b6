import { FakeIstiodError } from '../errors.ts';
import type { DocumentPath } from '../protobuf/document.ts';
import { resourcesOf } from '../protobuf/resource-file.ts';
import type { Command } from '../script/command.ts';
import type { Findings } from '../script/findings.ts';
import { readCommands } from '../script/read-command.ts';
import type { ResourceReader } from '../script/read-serve.ts';
import type { CommandForm } from '../script/schema-command.ts';
import type { Told, RouteContext } from './route.ts';

/** A request brings what it is about: files of the server's machine are not for its callers to read. */
export function fileRefusal(): FakeIstiodError {
  return new FakeIstiodError('request.invalid', 'files of the server are not read for a request', {
    remedy: 'Put the resources themselves into the body',
  });
}

function refuseFile(): never {
  throw fileRefusal();
}

const reader: ResourceReader = {
  readDocument: refuseFile,
  loadResources: refuseFile,
  resourcesOf,
};

/** The commands of a body, which says them as a scenario does. Error `request.invalid` with all that is wrong. */
export function bodyCommands(written: Told<CommandForm>, path: DocumentPath, { findings, istiod }: RouteContext): readonly Command[] {
  return readWith(written, path, findings, istiod.scenario?.bootstrap.tokenFile !== undefined);
}

function readWith(written: Told<CommandForm>, path: DocumentPath, findings: Findings, tokenFile: boolean): readonly Command[] {
  const commands = readCommands(written as CommandForm, path, { findings, reader, file: '', options: {}, layers: [], tokenFile });
  findings.throwIfAny('request.invalid');
  return commands;
}
