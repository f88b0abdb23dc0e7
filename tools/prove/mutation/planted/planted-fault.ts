/** A defect that somebody could really make, planted by replacing one text; the specs named must go red. */
export interface PlantedFault {
  id: string;
  /** The wrong behaviour with the fault in place, in one sentence. */
  breaks: string;
  /** Requirement, decision, threat or invariant that it breaks. */
  against: string;
  /** Path from the root of the repository. */
  file: string;
  /** Stands in the file exactly once. */
  find: string;
  put: string;
  /** Spec files that are expected to catch it. */
  specs: readonly string[];
  /** Its specs take seconds and were seen to catch it: the sample of CI may draw it. */
  isSampled?: true;
}
