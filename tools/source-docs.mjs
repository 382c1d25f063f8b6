// Reads, from the source itself, what the reference pages list: error codes and events, with their doc comments.
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import ts from 'typescript';

const parse = (file) => ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.Latest, true);

/** The doc comment of a node as one line of text. */
function docOf(node) {
  const [doc] = ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc);
  return (ts.getTextOfJSDocComment(doc?.comment) ?? '').replace(/\s+/g, ' ').trim();
}

/** `{ code, whose, what }` of each entry of the error catalogue; `whose` is the name of an exit code. */
export function errorCodes(root) {
  const source = parse(join(root, 'src/errors.ts'));
  const entries = [];
  const visit = (node) => {
    if (
      ts.isPropertyAssignment(node) &&
      ts.isPropertyAccessExpression(node.initializer) &&
      node.initializer.expression.getText() === 'ExitCode'
    ) {
      entries.push({ code: node.name.text, whose: node.initializer.name.text, what: docOf(node) });
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return entries;
}

/** `{ name, value, what }` of each exit code. */
export function exitCodes(root) {
  const codes = [];
  const visit = (node) => {
    if (ts.isVariableDeclaration(node) && node.name.getText() === 'ExitCode') {
      for (const property of node.initializer.expression.properties) {
        codes.push({ name: property.name.getText(), value: Number(property.initializer.getText()), what: docOf(property) });
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(parse(join(root, 'src/errors.ts')));
  return codes;
}

function interfacesOf(source, room) {
  return source.statements.filter(ts.isInterfaceDeclaration).map((node) => ({
    room,
    name: node.name.text,
    what: docOf(node),
    bases: (node.heritageClauses ?? []).flatMap(({ types }) => types.map(({ expression }) => expression.getText())),
    fields: node.members.filter(ts.isPropertySignature).map((member) => ({
      name: member.name.getText(),
      optional: member.questionToken !== undefined,
      type: member.type.getText(),
      what: docOf(member),
    })),
  }));
}

/** `{ event, room, what, fields }` of each event that a room declares in its `*-event.ts`, inherited fields first. */
export function events(root) {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('-event.ts'));
  const all = files.sort().flatMap((file) => interfacesOf(parse(join(root, 'src', file)), basename(file, '-event.ts')));
  const byName = new Map(all.map((one) => [one.name, one]));
  const fieldsOf = ({ bases, fields }) => [...bases.flatMap((base) => (byName.has(base) ? fieldsOf(byName.get(base)) : [])), ...fields];
  return all.flatMap((one) => {
    const named = one.fields.find(({ name, type }) => name === 'event' && type.startsWith("'"));
    if (!named) return [];
    return [
      { event: named.type.slice(1, -1), room: one.room, what: one.what, fields: fieldsOf(one).filter(({ name }) => name !== 'event') },
    ];
  });
}
