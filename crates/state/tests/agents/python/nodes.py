class Node:
    def __init__(self, value, next=None):
        self.value = value
        self.next = next


def show(list):
    words = []
    while list is not None:
        words.append(str(list.value))
        list = list.next
    print(" ".join(words))


def main():
    list = Node(14, Node(18, Node(20, Node(22))))
    total = 0
    show(list)


main()
