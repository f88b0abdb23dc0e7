/** The base images of docker/Dockerfile: `ARG BASE=…` and `ARG BUILD_BASE=…`, the only places that name them. */
const baseArgument = /^(ARG (?:BASE|BUILD_BASE)=)(\S+)$/gm;
const digestForm = /^sha256:[0-9a-f]{64}$/;

/** References of base images, each once. */
export function baseImages(dockerfile: string): string[] {
  return [...new Set([...dockerfile.matchAll(baseArgument)].map(([, , reference]) => reference!))];
}

export function isPinned(reference: string): boolean {
  return digestForm.test(reference.slice(reference.indexOf('@') + 1)) && reference.includes('@');
}

/** The Dockerfile with every base image at the digest that its tag has now; the tag stays, for people. @throws on what is no digest */
export function withDigests(dockerfile: string, digestOf: (tag: string) => string): string {
  return dockerfile.replace(baseArgument, (_, argument: string, reference: string) => {
    const tag = reference.replace(/@.*$/, '');
    const digest = digestOf(tag);
    if (!digestForm.test(digest)) throw new Error(`${tag}: ${JSON.stringify(digest)} is no digest`);
    return `${argument}${tag}@${digest}`;
  });
}
