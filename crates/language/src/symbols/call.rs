//! Functions and calls, with the argument for each parameter.

use super::symbol::{Reference, Symbol, SymbolId};
use super::{Symbols, TUNING};
use nubbin_syntax::{NodeId, Tree};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;

/// The parameter lists and argument lists of a text.
#[derive(Debug, Default)]
pub(super) struct Lists {
    /// The members of each list.
    pub members: HashMap<NodeId, Vec<NodeId>>,
    /// The function of each parameter, and the position of the parameter in its list, from 0.
    pub parameters: HashMap<NodeId, (SymbolId, usize)>,
    /// The variadic parameters and the arguments that expand to several.
    pub spreads: HashSet<NodeId>,
    /// The declarations of parameters, several of which can be in one member of a list.
    pub each: BTreeSet<NodeId>,
    /// The tokens that mark a parameter or an argument as variadic.
    pub marks: BTreeSet<NodeId>,
}

impl Lists {
    /// Adds a list by its node. A list without a node is represented by what precedes its members: the token
    /// that opens it, or the name that is called.
    pub fn add(&mut self, tree: &Tree, source: &[u8], name: NodeId, list: NodeId) {
        if self.members.contains_key(&list) {
            return;
        }
        let members = match tree.node(list) {
            _ if !tree.is_leaf(list) => tree.members(list).flat_map(|id| self.parts(tree, id)).collect(),
            node if list == name || !node.is_named() => {
                let behind = tree.children(node.parent).skip_while(|&id| id <= list);
                let parts = behind.filter(|&id| !tree.node(id).is_extra()).map(|id| (id, tree.node(id)));
                let parts = parts.take_while(|(_, node)| node.is_named() || node.span.of(source) == b",");
                parts.filter(|(_, node)| node.is_named()).map(|(id, _)| id).collect()
            }
            // A parameter without brackets is a list of one.
            _ => vec![list],
        };
        self.members.insert(list, members);
    }

    /// Lists the parameters that a member of a list declares: the member itself, or the declarations in it if
    /// there are several.
    fn parts(&self, tree: &Tree, member: NodeId) -> Vec<NodeId> {
        let names: Vec<NodeId> = self.each.range(member..tree.node(member).after).copied().collect();
        if names.len() > 1 { names } else { vec![member] }
    }

    /// Adds the parameter list of a function; `name` is the name before it.
    pub fn add_parameters(
        &mut self,
        tree: &Tree,
        source: &[u8],
        function: SymbolId,
        name: NodeId,
        list: NodeId,
    ) {
        self.add(tree, source, name, list);
        let members = self.members[&list].iter().enumerate();
        self.parameters.extend(members.map(|(place, &member)| (member, (function, place))));
    }
}

/// The functions and calls in a text.
#[derive(Debug, Default)]
pub(super) struct Calls {
    /// The nodes of calls, with the called symbols.
    pub wholes: BTreeMap<NodeId, SymbolId>,
    /// The function of each body.
    pub bodies: HashMap<NodeId, SymbolId>,
    /// The symbol that represents the parameters and arguments of each template.
    pub generics: HashMap<SymbolId, SymbolId>,
    /// The identifier in each keyword argument.
    pub keywords: HashMap<NodeId, NodeId>,
    /// The keyword arguments that match no known parameter, by name.
    pub loose: HashMap<Arc<[u8]>, Vec<NodeId>>,
}

impl Symbols {
    /// Lists the members of a list of parameters or arguments.
    #[must_use]
    pub fn members(&self, list: Option<NodeId>) -> &[NodeId] {
        list.and_then(|list| self.lists.members.get(&list)).map_or(&[], Vec::as_slice)
    }

    /// Returns whether a node is a list of parameters or arguments.
    #[must_use]
    pub fn is_list(&self, id: NodeId) -> bool {
        self.lists.members.contains_key(&id)
    }

    /// Returns whether a parameter or an argument is variadic.
    #[must_use]
    pub fn is_spread(&self, id: NodeId) -> bool {
        self.lists.spreads.contains(&id)
    }

    /// Returns the first token inside a node that makes a parameter or an argument variadic.
    #[must_use]
    pub fn mark_in(&self, id: NodeId) -> Option<NodeId> {
        self.lists.marks.range(self.range(id)).next().copied()
    }

    /// Returns whether a node contains a call.
    #[must_use]
    pub fn has_call(&self, id: NodeId) -> bool {
        self.calls.wholes.range(self.range(id)).next().is_some()
    }

    /// Returns the function that has a node as its body.
    #[must_use]
    pub fn function_of(&self, body: NodeId) -> Option<SymbolId> {
        self.calls.bodies.get(&body).copied()
    }

    /// Returns the symbol that a call calls.
    #[must_use]
    pub fn called_by(&self, call: NodeId) -> Option<SymbolId> {
        self.calls.wholes.get(&call).copied()
    }

    /// Returns the symbol for the parameters and arguments of the template that an identifier defines.
    #[must_use]
    pub fn generic_of(&self, id: NodeId) -> Option<&Symbol> {
        Some(&self[*self.calls.generics.get(&self.defined_at(id)?)?])
    }

    /// Returns the identifier of a keyword argument.
    #[must_use]
    pub fn keyword(&self, argument: NodeId) -> Option<NodeId> {
        self.calls.keywords.get(&argument).copied()
    }

    /// Returns the function of the parameter that is or contains a node, and the position of that parameter,
    /// from 0.
    #[must_use]
    pub fn parameter(&self, id: NodeId) -> Option<(SymbolId, usize)> {
        let inside = self.up(id).take_while(|&id| !self.is_statement(id));
        inside.into_iter().find_map(|id| self.lists.parameters.get(&id).copied())
    }

    /// Returns the argument for parameter `place` in a call of a function: the keyword argument with its name,
    /// or the one at its position.
    #[must_use]
    pub fn argument(&self, function: &Symbol, call: &Reference, place: usize) -> Option<NodeId> {
        let members = self.members(call.arguments);
        let by_name = |argument: NodeId| self.keyword(argument).is_some();
        if !self.calls.keywords.is_empty() && members.iter().any(|&argument| by_name(argument)) {
            let name = self.parameter_name(function, place).map(|name| &*self[name].text);
            let is_it = |id: &&NodeId| self.keyword(**id).is_some_and(|id| Some(self.text(id)) == name);
            if let Some(&argument) = members.iter().find(is_it) {
                return Some(argument);
            }
        }
        let skip = call.skip.unwrap_or(function.skip);
        let argument =
            members.get(place.checked_sub(skip)?).copied().filter(|&argument| !by_name(argument))?;
        let takes_several =
            || self.lists_of(function).any(|list| list.get(place).is_some_and(|&id| self.is_spread(id)));
        (!self.is_spread(argument) || takes_several()).then_some(argument)
    }

    /// Returns the expression for parameter `place` in a call, without its keyword. For a parameter without an
    /// argument, such as `self`, that is the object.
    #[must_use]
    pub fn given(&self, function: &Symbol, call: &Reference, place: usize) -> Option<NodeId> {
        if place < function.skip {
            return call.object;
        }
        let argument = self.argument(function, call, place)?;
        if self.keyword(argument).is_some() { self.tree().members(argument).last() } else { Some(argument) }
    }

    /// Lists parameter `place` of a function in its definitions, and the argument for it in every call.
    #[must_use]
    pub fn parameter_places(&self, function: &Symbol, place: usize) -> Vec<NodeId> {
        let parameters: Vec<NodeId> =
            self.lists_of(function).filter_map(|list| list.get(place).copied()).collect();
        let calls = function.calls();
        // The last parameter of a template can take all remaining arguments.
        if function.is_generic && parameters.iter().any(|&id| self.is_spread(id)) {
            let rest = |call: &Reference| self.members(call.arguments).get(place..).unwrap_or_default();
            return parameters.iter().copied().chain(calls.flat_map(rest).copied()).collect();
        }
        let given = calls.filter_map(|call| self.argument(function, call, place));
        parameters.iter().copied().chain(given).collect()
    }

    /// Returns the member of a parameter list that declares a parameter, possibly with others.
    #[must_use]
    pub fn declaring(&self, parameter: NodeId) -> NodeId {
        let is_member = |id: &NodeId| self.lists.members.contains_key(&self.tree.node(*id).parent);
        let shares = self.lists.each.contains(&parameter);
        self.up(parameter).find(is_member).filter(|_| shares).unwrap_or(parameter)
    }

    /// Lists the keyword arguments in calls of unknown functions that have the name of parameter `place` of a
    /// function. The list is empty if there are too many.
    #[must_use]
    pub fn loose_arguments(&self, function: &Symbol, place: usize) -> &[NodeId] {
        let name = self.parameter_name(function, place);
        let arguments = name.and_then(|name| self.calls.loose.get(&self[name].text));
        arguments.filter(|all| all.len() <= TUNING.loose_arguments).map_or(&[], Vec::as_slice)
    }

    /// Lists the parameters of each definition of a function.
    pub fn lists_of<'s>(&'s self, function: &'s Symbol) -> impl Iterator<Item = &'s [NodeId]> {
        function.definitions.iter().map(|one| self.members(one.parameters))
    }

    /// Returns the symbol that parameter `place` of a function defines.
    fn parameter_name(&self, function: &Symbol, place: usize) -> Option<SymbolId> {
        self.lists_of(function).find_map(|list| self.first_defined_in(*list.get(place)?))
    }
}
