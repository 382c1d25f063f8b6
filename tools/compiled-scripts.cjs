// Preloaded into a process that is to be recorded: at its end, what V8 has compiled of each script is written to COMPILED_SCRIPTS.
const { mkdirSync, writeFileSync } = require('node:fs');
const { basename, join } = require('node:path');
const process = require('node:process');
const vm = require('node:vm');

const folder = process.env.COMPILED_SCRIPTS;
const scripts = [];
vm.Script = class extends vm.Script {
  constructor(source, options) {
    super(source, options);
    scripts.push([basename(options.filename), this]);
  }
};
// The folder is what the entry looks for: it compiles as it will later, only without anything to take it from.
mkdirSync(folder, { recursive: true });
process.on('exit', () => {
  for (const [name, script] of scripts) writeFileSync(join(folder, `${name}.bin`), script.createCachedData());
});
