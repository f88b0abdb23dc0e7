import type { Resource } from '../manifests/kustomize.ts';
import { servicesOf } from './chart-templates.ts';

/** Reads what an overlay says. */
export class Overlay {
  readonly services: string[];
  private readonly resources: readonly Resource[];

  constructor(resources: readonly Resource[]) {
    this.resources = resources;
    this.services = servicesOf(resources);
  }

  specOf(kind: string, name?: string): Record<string, unknown> {
    const found = this.resources.find(resource => resource.kind === kind && (!name || resource.metadata.name === name));
    if (!found) throw new Error(`the overlay has no ${kind} ${name ?? ''}`);
    return found['spec'] as Record<string, unknown>;
  }

  setting(service: string, name: string): string {
    const map = this.resources.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name.startsWith(`${service}-`));
    const value = (map?.['data'] as Record<string, string> | undefined)?.[name];
    if (!value) throw new Error(`${service} has no setting ${name}`);
    return value;
  }

  host(): string {
    return (this.specOf('TLSRoute')['hostnames'] as string[])[0]!;
  }

  registry(): string {
    return this.image('api-gateway').replace(/\/[^/]+$/, '');
  }

  digest(service: string): string {
    return this.image(service).replace(/^.*@/, '');
  }

  /** Of a Deployment that the autoscaler counts: the fewest. */
  replicas(service: string): number {
    const { replicas } = this.specOf('Deployment', service) as { replicas?: number };
    return replicas ?? (this.specOf('ScaledObject') as { minReplicaCount: number }).minReplicaCount;
  }

  private image(service: string): string {
    const { template } = this.specOf('Deployment', service) as { template: { spec: { containers: { image: string }[] } } };
    return template.spec.containers[0]!.image;
  }
}
