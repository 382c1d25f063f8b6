import { describe, expect, it } from 'vitest';
import { filled, isTemplate, referencedValues, referenceProblem } from '../../src/services/node-template.ts';

const node = {
  id: 'sidecar~10.0.0.1~web.demo~demo.svc.cluster.local',
  cluster: 'web.demo',
  metadata: { NAMESPACE: 'demo', PORT: 8080, LABELS: { app: 'web', 'app.kubernetes.io/name': 'shop' }, EMPTY: '' },
  locality: { region: 'eu', zone: 'w1' },
};

describe('A template', () => {
  it.each([
    ['${node.id}', node.id],
    ['in-${node.cluster}', 'in-web.demo'],
    ['${node.metadata.NAMESPACE}/${node.locality.region}', 'demo/eu'],
    ['${node.metadata.PORT}', '8080'],
    ['${node.metadata.LABELS.app.kubernetes.io/name}', 'shop'],
    ['${node.metadata.LABELS}', '{"app":"web","app.kubernetes.io/name":"shop"}'],
    ['${node.metadata.MISSING:-other}', 'other'],
    ['${node.metadata.EMPTY:-other}', 'other'],
    ['a${node.metadata.MISSING}b', 'ab'],
    ['%REQ(x)% ${other}', '%REQ(x)% ${other}'],
  ])('%s is %s', (text, expected) => {
    expect(filled(text, node)).toBe(expected);
  });

  it('is filled in keys and values at any depth, and leaves the rest alone', () => {
    const value = { a: [{ '${node.cluster}': '${node.locality.zone}', n: 1, b: true }], bytes: new Uint8Array([1]) };
    expect(filled(value, node)).toEqual({ a: [{ 'web.demo': 'w1', n: 1, b: true }], bytes: new Uint8Array([1]) });
    expect([isTemplate(value), isTemplate({ a: '${x}' })]).toEqual([true, false]);
  });

  it('makes a difference between nodes by the values that it names, and no other', () => {
    const value = ['${node.metadata.NAMESPACE}', '${node.metadata.NAMESPACE}', '${node.cluster}'];
    expect(referencedValues(value, node)).toEqual(['demo', 'web.demo']);
  });

  it.each(['${node.name}', '${node.metadata}', '${node.locality.city}', '${node.id.x}'])('%s means nothing, and is told so', (text) => {
    expect(referenceProblem(text)).toContain(text);
  });

  it('that is right has no problem', () => {
    expect(['${node.id}', '${node.metadata.A.b:-x}', '${node.locality.subZone}'].map(referenceProblem)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });
});
