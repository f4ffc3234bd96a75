// @ts-check

const SVG = 'http://www.w3.org/2000/svg';

/**
 * Makes an element of an SVG; children are nodes and texts.
 * @param {string} tag
 * @param {Record<string, string | number | undefined>} [attributes]
 * @param {...(Node | string)} children
 * @returns {SVGElement}
 */
export function s(tag, attributes = {}, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined) node.setAttribute(name, String(value));
  }
  node.append(...children);
  return node;
}
