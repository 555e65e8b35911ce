// SPDX-License-Identifier: MIT
pragma solidity ^0.8.2;
pragma experimental ABIEncoderV2;

import "./Clock.sol";
import { Ledger as Books, Entry } from "./Ledger.sol";

/// @title The tools of a small village: who borrows what, and who brings it back.
interface Borrower {
    event Took(uint256 indexed tool, address by);

    function trust() external view returns (uint8);

    function called(string calldata text, bytes memory data) external payable returns (bool, bytes memory);
}

library Days {
    uint256 internal constant LENGTH = 1 days;

    struct Span {
        uint64 from;
        uint64 to;
    }

    function long(Span storage span) internal view returns (uint256) {
        return (uint256(span.to) - span.from) / LENGTH;
    }

    function later(Span memory span, uint64 by) internal pure returns (Span memory) {
        return Span({from: span.from + by, to: span.to + by});
    }
}

abstract contract Owned {
    address payable private owner;
    mapping(address => mapping(uint256 => bool)) internal allowed;

    constructor() {
        owner = payable(msg.sender);
    }

    modifier onlyOwner() {
        require(msg.sender == owner, "not the owner");
        _;
    }

    modifier trusted(uint256 tool) virtual;

    function give(address payable to) external onlyOwner {
        emit Given(owner, to);
        owner = to;
    }

    function sweep(uint256 amount) public virtual onlyOwner returns (bool sent) {
        (sent, ) = owner.call{value: amount, gas: 5000}("");
    }

    event Given(address indexed from, address indexed to);
}

contract Shed is Owned, Books(7) {
    using Days for Days.Span;

    enum State { Free, Lent, Broken }

    struct Tool {
        string name;
        State state;
        uint128 price;
        Days.Span lent;
        address[] before;
    }

    Tool[] public tools;
    uint8 immutable least;
    bytes32 constant SEED = keccak256("shed");
    function(uint256) internal view returns (uint256) private fee;

    constructor(uint8 trust, string[2] memory names) Owned() {
        least = trust;
        fee = flat;
        for (uint256 i = 0; i < names.length; i++) {
            Tool storage tool = tools.push();
            tool.name = names[i];
            tool.price = i == 0 ? 2 ether : uint128(10 gwei);
        }
    }

    modifier trusted(uint256 tool) override {
        if (Borrower(msg.sender).trust() < least && !allowed[msg.sender][tool]) {
            revert("not trusted");
        }
        _;
    }

    receive() external payable {
        assert(msg.value > 0);
    }

    function borrow(uint256 number, uint64 time) external payable trusted(number) returns (uint256 cost) {
        Tool storage tool = tools[number];
        require(tool.state == State.Free && time <= 14, "not free");
        unchecked {
            cost = fee(time) * tool.price / 100;
        }
        tool.lent = Days.Span(uint64(block.timestamp), uint64(block.timestamp) + time * 1 days).later(0);
        tool.state = State.Lent;
        tool.before.push(msg.sender);
        try Borrower(msg.sender).called{value: 1 wei}(tool.name, abi.encode(number, cost)) returns (bool fine, bytes memory) {
            if (!fine) delete tools[number].before;
        } catch Error(string memory reason) {
            emit Problem(number, reason);
        } catch (bytes memory) {
            cost += 1;
        }
    }

    event Problem(uint256 tool, string reason);

    function flat(uint256 time) internal view returns (uint256) {
        return time > 7 ? 0x1f : least ** 2;
    }

    function index(bytes memory text) public pure returns (uint256 sum) {
        assembly {
            let end := add(add(text, 32), mload(text))
            for { let at := add(text, 32) } lt(at, end) { at := add(at, 1) } {
                sum := add(sum, byte(0, mload(at)))
            }
            switch sum
            case 0 { sum := not(0) }
            default { sum := mod(sum, 97) }
        }
    }

    function late() external view virtual returns (uint256[] memory found, uint256 count) {
        found = new uint256[](tools.length);
        uint256 i;
        while (i < tools.length) {
            if (tools[i].state == State.Lent && tools[i].lent.to < block.timestamp) {
                found[count++] = i;
            } else if (tools[i].lent.long() > 30) {
                break;
            }
            ++i;
        }
        return (found, count);
    }
}
