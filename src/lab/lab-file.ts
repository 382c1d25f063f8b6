/** The lab's files in the order in which they are made, and what each is for. `mesh-config.yaml` may have another name. */
export const labFiles = {
  'inject.yaml': 'the injected manifest',
  'mesh-config.yaml': 'the mesh config',
  '01-args.txt': 'what pilot-agent is started with, out of its args',
  '02-env.txt': 'its environment: what the injector knew, and what only the pod will know',
  '03-mesh.txt': 'what the mesh config adds; is the CA where the configuration comes from?',
  'bootstrap.yaml': 'what Envoy starts with: who it is, and where its control plane is',
  '04-validate.txt': "Envoy's word about bootstrap.yaml, and its exit code",
  'boot-typo.yaml': 'the same with one name wrong: `ads_config` asks for a cluster that is not there',
  '05-typo.txt': "Envoy's word about boot-typo.yaml, and its exit code",
  '06-node.json': 'who the running Envoy says it is',
  '06-ready.txt': 'how it fares without an istiod',
  '07-identity.txt': 'the two volumes that identity starts from',
  '08-report.md': 'what was found, and four symptoms with their causes',
} as const;

export type LabFile = keyof typeof labFiles;

/** Given to a student; all others are their work. */
export const inputFiles = ['inject.yaml', 'mesh-config.yaml'] as const satisfies readonly LabFile[];

/** What a student makes. */
export type WorkFile = Exclude<LabFile, (typeof inputFiles)[number]>;

export const workFiles = (Object.keys(labFiles) as LabFile[]).filter(isWorkFile);

function isWorkFile(file: LabFile): file is WorkFile {
  return inputFiles.every((input) => input !== file);
}
