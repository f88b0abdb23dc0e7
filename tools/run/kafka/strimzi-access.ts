import { type AclEntry, AclOperationTypes, AclPermissionTypes, AclResourceTypes, ResourcePatternTypes } from 'kafkajs';
import { coreManifests, kafkaUsers, paymentCores } from './strimzi';

interface KafkaUser {
  metadata: { name: string };
  spec: { authorization: { acls: Rule[] } };
}
interface Rule {
  resource: { type: string; name: string };
  operations: string[];
}

const types: Record<string, AclResourceTypes> = { topic: AclResourceTypes.TOPIC, group: AclResourceTypes.GROUP };
const operations: Record<string, AclOperationTypes> = {
  Read: AclOperationTypes.READ,
  Write: AclOperationTypes.WRITE,
  Describe: AclOperationTypes.DESCRIBE,
};

/** Names of the KafkaUsers of the manifests. */
export function strimziUsers(): string[] {
  return usersOf().map(({ metadata }) => metadata.name);
}

/** The access control entries that Strimzi's user operator makes of the KafkaUsers of the manifests. */
export function strimziAccess(): AclEntry[] {
  return usersOf().flatMap(({ metadata, spec }) => spec.authorization.acls.flatMap(rule => entriesOf(metadata.name, rule)));
}

function entriesOf(user: string, { resource, operations: names }: Rule): AclEntry[] {
  return names.map(name => ({
    resourceType: known(types, resource.type),
    resourceName: resource.name,
    resourcePatternType: ResourcePatternTypes.LITERAL,
    principal: `User:${user}`,
    host: '*',
    operation: known(operations, name),
    permissionType: AclPermissionTypes.ALLOW,
  }));
}

function known<T>(values: Record<string, T>, name: string): T {
  const value = values[name];
  if (value === undefined) throw new Error(`KafkaUser: ${name} is unknown`);
  return value;
}

/** With both cores, as no cluster has them. */
function usersOf(): KafkaUser[] {
  return [...kafkaUsers(), ...paymentCores.flatMap(core => coreManifests(core).user)] as KafkaUser[];
}
