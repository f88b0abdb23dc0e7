export interface Subject {
  name: string;
  sha256: string;
}

export interface ProvenanceOptions {
  subjects: readonly Subject[];
  version: string;
  /** Of the sources: full commit id, and whether the work tree had other content. */
  source: { repository: string; commit: string; isDirty: boolean };
  /** Resolved inputs with their digests: base images, lock file. */
  materials: readonly { uri: string; sha256: string }[];
  /** SOURCE_DATE_EPOCH of the build, in seconds. */
  epochS: number;
  /** The builder that ran it: a workflow's URL, or `local`. */
  builder: string;
}

const statementType = 'https://in-toto.io/Statement/v1';
const predicateType = 'https://slsa.dev/provenance/v1';
const buildType = 'https://paycode.invalid/release/v1';

/**
 * In-toto statement with SLSA provenance 1.0. It is not signed: `cosign attest --type slsaprovenance1 --predicate` takes its `predicate`,
 * `cosign attest-blob --statement` the whole.
 */
export function provenanceOf({ subjects, version, source, materials, epochS, builder }: ProvenanceOptions) {
  if (subjects.length === 0) throw new Error('a provenance statement needs a subject');
  const { repository, commit, isDirty } = source;
  return {
    _type: statementType,
    subject: [...subjects].sort(byName).map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
    predicateType,
    predicate: {
      buildDefinition: {
        buildType,
        externalParameters: { version, repository, commit, isDirty },
        internalParameters: { sourceDateEpoch: epochS },
        resolvedDependencies: [
          { uri: `git+${repository}@${commit}`, digest: { gitCommit: commit } },
          ...materials.map(({ uri, sha256 }) => ({ uri, digest: { sha256 } })),
        ],
      },
      runDetails: { builder: { id: builder } },
    },
  };
}

function byName(a: Subject, b: Subject): number {
  return a.name < b.name ? -1 : 1;
}
