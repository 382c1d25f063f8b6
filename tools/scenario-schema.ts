import { toJsonSchema } from '@valibot/to-json-schema';
import { commandForm, rulesForm } from '../src/script/schema-command.ts';
import { expectationForm } from '../src/script/schema-expectation.ts';
import { matcherForm, nodeForm } from '../src/script/schema-parts.ts';
import { tokenForm } from '../src/script/schema-proxy.ts';
import { serveForm } from '../src/script/schema-serve.ts';
import { triggerForm } from '../src/script/schema-trigger.ts';
import { scenarioForm } from '../src/script/schema.ts';

/** scenarios/scenario.schema.json, made of the very schema that scenario files are checked with. */
export function scenarioSchema(): string {
  const schema = toJsonSchema(scenarioForm, {
    target: 'draft-2020-12',
    definitions: {
      node: nodeForm,
      value: matcherForm,
      serve: serveForm,
      rules: rulesForm,
      token: tokenForm,
      trigger: triggerForm,
      command: commandForm,
      expectation: expectationForm,
    },
  });
  const { $schema, ...rest } = schema;
  return `${JSON.stringify({ $schema, title: 'fake-istiod scenario', ...rest }, null, 1)}\n`;
}
